import type { Construct } from 'constructs';
import type { AnyEndpoint } from '../functions/http/endpoint.ts';
import { type ApiStack, addEndpoint } from './api-stack.ts';
import type { DataStack } from './data-stack.ts';
import { suppress } from './nag-suppressions.ts';
import { NamedNestedStack } from './named-nested-stack.ts';
import type { Settings } from './settings.ts';

/**
 * The webhooks of voice platforms. Their function needs the public address of the deployment, which platforms sign. Therefore
 * it is created after CloudFront, which is created after the API.
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
    addEndpoint({ scope: this }, endpoint, parts, settings);
    suppress(this, 'keys');
  }
}
