import { expect, it } from 'vitest';
import { getDeployment, inProduction } from '../support/deployment.ts';

const dev = getDeployment();
const prod = getDeployment(inProduction);

it('a deployment outputs what an operator needs under names that never change', () => {
  const names = [
    'AlarmTopic',
    'ApiUrl',
    'BaseUrl',
    'ChatSigningSecretName',
    'ChatUrl',
    'DashboardUrl',
    'ErasureSecretName',
    'FilesBucket',
    'Settings',
    'StripeSecretName',
    'TableName',
  ];
  expect(Object.keys(dev.outputs).sort()).toEqual(names);
  expect(prod.outputs.BaseUrl.Value).toBe('https://api.example.com');
  expect(dev.stackName).toBe('voice-agents-dev');
});

it('a deployment stays within CloudFormation’s 500 resources and 200 parameters a stack', () => {
  for (const { Resources, Parameters = {} } of Object.values(prod.templates)) {
    expect(Object.keys(Resources).length).toBeLessThan(450);
    expect(Object.keys(Parameters).length).toBeLessThan(200);
  }
});
