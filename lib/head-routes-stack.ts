import { CfnRoute } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Construct } from 'constructs';
import { suppress } from './nag-suppressions.ts';
import { NamedNestedStack } from './named-nested-stack.ts';

/**
 * HEAD where there is GET, with the same function: its permission names a path and no method. These routes are in a stack of their own
 * because a stack has at most 500 resources.
 */
export class HeadRoutesStack extends NamedNestedStack {
  constructor(scope: Construct, id: string, stacks: Construct[]) {
    super(scope, id);
    suppress(this, 'keys');
    for (const one of stacks.flatMap((stack) => stack.node.findAll())) {
      if (!(one instanceof CfnRoute) || !one.routeKey.startsWith('GET ')) continue;
      const { apiId, target } = one;
      const routeKey = one.routeKey.replace('GET', 'HEAD');
      new CfnRoute(this, routeKey, { apiId, routeKey, target });
    }
  }
}
