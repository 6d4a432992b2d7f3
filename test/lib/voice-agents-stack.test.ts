import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { type Deployment, deploymentOf, functionsOf, inProduction, synthesize } from '../support/deployment.ts';

const dev = deploymentOf();
const prod = deploymentOf(inProduction);

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

it('a deployment is the same whenever it is synthesized', () => {
  const digest = ({ templates }: Deployment) => createHash('sha256').update(JSON.stringify(templates)).digest('hex');
  expect(digest(synthesize())).toBe(digest(dev));
});

it('a deployment stays within CloudFormation’s 500 resources and 200 parameters a stack', () => {
  for (const { Resources, Parameters = {} } of Object.values(prod.templates)) {
    expect(Object.keys(Resources).length).toBeLessThan(450);
    expect(Object.keys(Parameters).length).toBeLessThan(200);
  }
});

it('a deployment bears its name on everything that can be tagged', () => {
  const tagged = dev.resources.filter(({ properties }) => Array.isArray(properties.Tags));
  expect(tagged.length).toBeGreaterThan(functionsOf(dev).length);
  for (const { properties } of tagged) {
    expect(properties.Tags).toContainEqual({ Key: 'deployment', Value: 'voice-agents-dev' });
  }
});
