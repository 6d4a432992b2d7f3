import type { Construct } from 'constructs';
import type { AnyEndpoint } from '../functions/http/endpoint.ts';
import { type ApiStack, addEndpoint } from './api-stack.ts';
import type { DataStack } from './data-stack.ts';
import { suppress } from './nag-suppressions.ts';
import { NamedNestedStack } from './named-nested-stack.ts';
import type { Settings } from './settings.ts';

/**
 * The server of AI clients, and the operations with which they sign in. All of them name the public address of the deployment.
 * Therefore they are created after CloudFront, which is created after the API.
 */
export class OAuthStack extends NamedNestedStack {
  constructor(
    scope: Construct,
    id: string,
    endpoints: AnyEndpoint[],
    parts: { data: DataStack; api: ApiStack; publicUrl: string },
    settings: Settings,
  ) {
    super(scope, id);
    for (const endpoint of endpoints) addEndpoint({ scope: this }, endpoint, parts, settings);
    suppress(this, 'keys');
  }
}
