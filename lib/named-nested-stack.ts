import { type CfnStack, NestedStack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** A nested stack whose logical id is its plain name, so that names AWS derives from it read `voice-agents-dev-Data-…`. */
export class NamedNestedStack extends NestedStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    (this.nestedStackResource as CfnStack).overrideLogicalId(id);
  }
}
