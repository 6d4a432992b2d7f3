import { type CfnStack, NestedStack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** A part of a deployment, under its plain name: what AWS names after it reads `voice-agents-dev-Data-…`. */
export class NamedNestedStack extends NestedStack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    (this.nestedStackResource as CfnStack).overrideLogicalId(id);
  }
}
