import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCloudFormation } from '../../support/cloud-formation.ts';
import { runOperator } from '../../support/operator-command.ts';

const credentials = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
let cloudFormation: Awaited<ReturnType<typeof startCloudFormation>>;
beforeAll(async () => {
  const outputs = { TableName: 'table', StripeSecretName: 'arn:aws:secretsmanager:eu-central-1:1:secret:s' };
  cloudFormation = await startCloudFormation('voice-agents-prod', outputs);
});
afterAll(() => cloudFormation.stop());

const onAws = (...args: string[]) =>
  runOperator({ ...credentials, AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL: cloudFormation.endpoint }, args);

it('a stack that does not exist is answered with those that do', async () => {
  expect(await onAws('--stack', 'voice-agents-prd', 'user', 'list')).toMatchObject({
    code: 1,
    stderr: 'There is no stack voice-agents-prd in this region. There are: voice-agents-prod.\n',
  });
  expect((await onAws('complete', '--', '--stack', 'voice')).stdout).toBe('voice-agents-prod\n:4\n');
});

it('an AWS region that is missing is an error of the command line', async () => {
  expect(await runOperator(credentials, ['--stack', 'voice-agents-dev', 'user', 'list'])).toMatchObject({
    code: 2,
    stderr: 'No AWS region is set. Use --region or AWS_REGION.\n',
  });
});
