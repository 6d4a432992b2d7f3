import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Deployment, getDeployment, inProduction, type Json, type Resource } from '../support/deployment.ts';

/** The properties that CloudFormation cannot change without deleting data, by type. They must never change. */
const immutable: Record<string, string[]> = {
  'AWS::CloudFormation::Stack': [],
  'AWS::DynamoDB::Table': ['TableName', 'KeySchema', 'AttributeDefinitions'],
  'AWS::S3::Bucket': ['BucketName'],
  'AWS::SecretsManager::Secret': ['Name'],
  'AWS::SQS::Queue': ['QueueName', 'FifoQueue'],
};
/** A name that is given can belong to one resource alone: under another logical id, the deployment fails. */
const nameProperties = [
  'FunctionName',
  'LogGroupName',
  'QueueName',
  'DashboardName',
  'TableName',
  'BucketName',
  'Name',
];

/** A permission names the function of another resource, and a metric filter the log group: several may name the same. */
const namesOthers = new Set(['AWS::Lambda::Permission', 'AWS::Logs::MetricFilter']);

type Summary = { data: Record<string, Json>; names: Record<string, string> };

const formId = ({ part, logicalId }: Resource) => `${part}/${logicalId}`;
const makeSummary = ({ resources }: Deployment): Summary => ({
  data: Object.fromEntries(
    resources.flatMap((resource) => {
      const properties = immutable[resource.type];
      if (!properties) return [];
      const kept = properties.filter((name) => resource.properties[name] !== undefined);
      const values = Object.fromEntries(kept.map((name) => [name, resource.properties[name]]));
      return [[formId(resource), { type: resource.type, ...values }]];
    }),
  ),
  names: Object.fromEntries(
    resources.flatMap((resource) =>
      nameProperties.flatMap((property) => {
        const name = resource.properties[property];
        return name === undefined || namesOthers.has(resource.type)
          ? []
          : [[`${resource.type} ${JSON.stringify(name)}`, formId(resource)]];
      }),
    ),
  ),
});

/** The deployment of the last release. `RELEASE=1 npm test -- test/lib/upgrade.test.ts` writes the file, before a release. */
const file = join(import.meta.dirname, 'released-deployment.json');
const now = makeSummary(getDeployment(inProduction));
if (process.env.RELEASE) writeFileSync(file, `${JSON.stringify(now, null, 2)}\n`);
const released: Summary = JSON.parse(readFileSync(file, 'utf8'));

/** Queues of jobs that no longer exist. Their messages lived for seconds: the former function has processed them when a queue is deleted. */
const removedQueues = /closeBlockListEvent/i;

it('an upgrade from the last release keeps everything that holds data: its place, and what cannot change without replacing it', () => {
  expect(Object.keys(released.data).length).toBeGreaterThan(10);
  const kept = Object.entries(released.data).filter(([id]) => !removedQueues.test(id));
  expect(now.data).toMatchObject(Object.fromEntries(kept));
});

it('an upgrade from the last release gives no name that is taken to a resource with another logical id', () => {
  expect(Object.keys(released.names).length).toBeGreaterThan(100);
  const moved = Object.entries(now.names).filter(([name, id]) => released.names[name] && released.names[name] !== id);
  expect(moved).toEqual([]);
});
