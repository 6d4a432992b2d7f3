import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { AnyEndpoint } from '../functions/http/endpoint.ts';
import { type ApiStack, addFunction } from './api-stack.ts';
import type { DataStack } from './data-stack.ts';
import { suppress } from './nag-suppressions.ts';
import { NamedNestedStack } from './named-nested-stack.ts';
import type { Settings } from './settings.ts';

/**
 * The function of the webhooks of voice platforms. It needs the public address of the deployment, which platforms sign. Therefore
 * it is created after CloudFront, which is created after the API with its route.
 */
export class HooksStack extends NamedNestedStack {
  constructor(
    scope: Construct,
    id: string,
    endpoint: AnyEndpoint,
    parts: { data: DataStack; api: ApiStack; publicUrl: string },
    settings: Settings,
  ) {
    super(scope, id);
    const { lambda } = addFunction(this, endpoint, parts, settings);
    lambda.addPermission('Route', {
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: parts.api.api.arnForExecuteApi(endpoint.method, endpoint.path.replace(/\{.*\}/, '*')),
    });
    suppress(this, 'keys');
  }
}
