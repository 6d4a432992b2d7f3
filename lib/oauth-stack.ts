import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { serveMcp } from '../functions/api/serve-mcp.ts';
import type { AnyEndpoint } from '../functions/http/endpoint.ts';
import { type ApiStack, addFunction, addRoutes } from './api-stack.ts';
import type { DataStack } from './data-stack.ts';
import { suppress } from './nag-suppressions.ts';
import { NamedNestedStack } from './named-nested-stack.ts';
import type { Settings } from './settings.ts';

/**
 * The server of AI clients, and the operations with which they sign in. All of them name the public address of the deployment.
 * Therefore they are created after CloudFront, which is created after the API.
 */
export class OAuthStack extends NamedNestedStack {
  /** 500 responses of the operations with which AI clients sign in. Few requests are theirs: among all of the API, their failures would not be seen. */
  readonly failedSignIns: Metric;

  constructor(
    scope: Construct,
    id: string,
    endpoints: AnyEndpoint[],
    parts: { data: DataStack; api: ApiStack; publicUrl: string },
    settings: Settings,
  ) {
    super(scope, id);
    const counts = endpoints.flatMap((endpoint) => {
      const serviceFunction = addFunction(this, endpoint, parts, settings);
      addRoutes(this, endpoint, parts, serviceFunction);
      return endpoint === serveMcp
        ? []
        : serviceFunction.countLines('FailedSignIns', FilterPattern.numberValue('$.status', '=', 500));
    });
    // They all have one name, and are one metric.
    this.failedSignIns = counts[0] as Metric;
    suppress(this, 'keys');
  }
}
