import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Every suppressed finding of cdk-nag, with its justification. */
export const acknowledged = {
  keys: {
    rules: ['AwsSolutions-APIG4'],
    reason:
      'API keys are checked in each function, with the access to the agent, in one read: an authorizer in front of them would read twice.',
  },
  rotation: {
    rules: ['AwsSolutions-SMG4'],
    reason:
      'Stripe has no way to rotate a key by machine: the operator replaces it. The signing secret guards approvals that live for minutes. The key that encrypts webhook secrets would have to encrypt them again.',
  },
  wildcards: {
    rules: ['AwsSolutions-IAM5', 'Serverless-LambdaStarPermissions'],
    reason:
      'X-Ray’s actions know no resources; objects are named by their bucket; an inference profile calls its model in any region.',
  },
  edgeLogs: {
    rules: ['AwsSolutions-CFR3'],
    reason:
      'CloudFront’s logs have the path and the query of each request: phone numbers, and the keys of voice platforms that can set no header. The API and the chat log each request without them.',
  },
  deadLetters: {
    rules: [
      'Serverless-LambdaDLQ',
      'Serverless-EventBusDLQ',
      'Serverless-LambdaEventSourceMappingDestination',
      'Serverless-SQSRedrivePolicy',
      'AwsSolutions-SQS3',
    ],
    reason:
      'No function is called asynchronously: API Gateway and callers wait for the answer, and each job’s queue has its own dead letters. A queue that keeps dead letters, or alarms that no mail server took, needs no dead letters itself. A message that the clock could not send is sent again at the next interval.',
  },
} as const;

/** Suppresses rules on a construct and everything in it. Rules with separate findings (IAM5) are suppressed finding by finding. */
export const suppress = (scope: IConstruct, what: keyof typeof acknowledged, findings: string[] = []) => {
  const { rules, reason } = acknowledged[what];
  for (const id of rules.flatMap((rule) => [rule, ...findings.map((finding) => `${rule}[${finding}]`)])) {
    Validations.of(scope).acknowledge({ id, reason });
  }
};
