import type { Construct } from 'constructs';
import type { AnyEndpoint } from '../functions/http/endpoint.ts';
import { type ApiStack, addEndpoint } from './api-stack.ts';
import type { DataStack } from './data-stack.ts';
import { suppress } from './nag-suppressions.ts';
import { NamedNestedStack } from './named-nested-stack.ts';
import type { Settings } from './settings.ts';

/** Operations that are not in the API stack, because a stack has at most 500 resources. */
export class OperationsStack extends NamedNestedStack {
  constructor(
    scope: Construct,
    id: string,
    endpoints: AnyEndpoint[],
    parts: { data: DataStack; api: ApiStack },
    settings: Settings,
  ) {
    super(scope, id);
    for (const endpoint of endpoints) addEndpoint({ scope: this }, endpoint, parts, settings);
    suppress(this, 'keys');
  }
}
