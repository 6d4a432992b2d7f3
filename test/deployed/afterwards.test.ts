import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CloudFormationClient, DescribeStacksCommand, ListStacksCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient, DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import {
  DeleteTableCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  RestoreTableToPointInTimeCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, inject, it } from 'vitest';
import { toKebabCase } from '../../functions/domain/text.ts';
import { isStreamed, takesIdempotencyKey } from '../../functions/http/endpoint.ts';
import { endpointPermissions } from '../../functions/http/permissions.ts';
import { permissionsOfJob } from '../../functions/jobs/job.ts';
import { jobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import { idempotency } from '../../functions/store/idempotency.ts';
import { userKey } from '../../functions/store/keys.ts';
import { readSettings } from '../../lib/settings.ts';
import { VoiceAgentsStack } from '../../lib/voice-agents-stack.ts';
import { buildApp, production } from '../support/deployment.ts';
import { isSample } from '../support/sample.ts';
import { target } from '../support/world.ts';

const deployed = inject('deployed');

const deploy = (context: string[]) => {
  const words = ['bin/deploy.ts', '--require-approval', 'never', ...context];
  const { stdout, stderr, status } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  return { status, text: stdout + stderr };
};

/** Runs a program while the test continues. */
const run = async (program: string, words: string[]) => {
  const { stdout, stderr, code } = await promisify(execFile)(program, words).then(
    (done) => ({ ...done, code: 0 }),
    (error) => error,
  );
  return { output: stdout + stderr, code };
};

type Use = { principal: string; action: string; resource: string; decision: 'allowed' | 'denied' };

/** Returns the grants that the roles of our functions used, by function. */
const usesByFunction = () => {
  const uses = readFileSync(deployed.grants, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Use);
  const byFunction = new Map<string, Use[]>();
  for (const use of uses) {
    const name = use.principal.split('/').at(-1) as string;
    byFunction.set(name, [...(byFunction.get(name) ?? []), use]);
  }
  return byFunction;
};

/** Only a request with an Idempotency-Key reads the secret that keys its hashes, and only one of a limited key is counted. */
const isUsedHere = (permission: string) =>
  permission !== 'secretsmanager:GetSecretValue:erasure' && !permission.endsWith(':requests');

// The chat is granted what the operations need that it calls as tools: that these need it is shown by themselves.
const functions = [
  ...routes
    .filter((endpoint) => !isStreamed(endpoint))
    .map((endpoint) => ({ name: endpoint.name, permissions: endpointPermissions(endpoint) })),
  ...jobs.map((job) => ({ name: job.name, permissions: permissionsOfJob(job) })),
].map(({ name, permissions }) => ({
  name,
  functionName: `${deployed.stack}-${toKebabCase(name)}`,
  // The queue and the secret that a permission names are no part of the action.
  granted: [
    ...new Set(permissions.filter(isUsedHere).map((permission) => permission.split(':').slice(0, 2).join(':'))),
  ],
}));

/** Grants that are used only after failures that do not occur here. */
const rare: Record<string, string[]> = {
  // These find what a request made when its response was lost.
  createAgent: ['dynamodb:GetItem'],
  // This reads again what another batch has changed.
  updateCallOutcomes: ['dynamodb:GetItem'],
  // These correct calls, block numbers by an outcome, and read again what another request has changed.
  recordCalls: [
    'dynamodb:ConditionCheckItem',
    'dynamodb:DeleteItem',
    'dynamodb:GetItem',
    'dynamodb:PartiQLUpdate',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
  ],
  // This deletes a document whose file S3 did not accept.
  uploadDocuments: ['dynamodb:BatchWriteItem', 'dynamodb:DeleteItem', 'dynamodb:Query'],
  addDocumentText: ['dynamodb:BatchWriteItem', 'dynamodb:DeleteItem', 'dynamodb:Query'],
  // These delete a website whose message the queue did not accept, and count the sources of a full agent again.
  addWebsite: ['dynamodb:DeleteItem', 'dynamodb:Query'],
  createDocumentUploads: ['dynamodb:Query'],
  // This deletes the copy of a document that was deleted while it was copied.
  duplicateAgent: ['dynamodb:DeleteItem'],
  // These delete former guests' entries, and the responses kept for them and the owner, including large ones, and continue in
  // another message when one run does not suffice.
  finishDeletion: ['dynamodb:BatchGetItem', 'dynamodb:BatchWriteItem', 'sqs:SendMessage'],
  // The access of a deleted user to the agents of others ends without a trace, which other operations leave.
  finishUserDeletion: ['dynamodb:PutItem'],
  // The clock starts it, and only where calls are kept for a limited time.
  expireCalls: [
    ...['dynamodb:BatchGetItem', 'dynamodb:ConditionCheckItem', 'dynamodb:DeleteItem', 'dynamodb:PutItem'],
    ...['dynamodb:Query', 'dynamodb:Scan', 'sqs:SendMessage'],
  ],
  // The clock starts these. A reconciliation that finds everything, or that no other one precedes, needs fewer.
  reconcileAgents: ['dynamodb:Query', 'sqs:SendMessage'],
  reconcileCalls: [
    ...['dynamodb:BatchGetItem', 'dynamodb:ConditionCheckItem', 'dynamodb:DeleteItem', 'dynamodb:PartiQLUpdate'],
    ...['dynamodb:PutItem', 'dynamodb:Query', 'sqs:SendMessage'],
  ],
  // This takes the place of a comparison that ended and did not say so.
  createReconciliation: ['dynamodb:DeleteItem', 'dynamodb:GetItem'],
  // These delete the figures of an agent that was deleted meanwhile, and wait longer when there are many calls.
  countCalls: ['dynamodb:BatchWriteItem', 'sqs:SendMessage'],
  // These delete large responses, and check whether the file of an import has arrived whose form still waits for it.
  erasePerson: ['dynamodb:BatchWriteItem', 's3:GetObject'],
  // These do the same, and continue in another message after four minutes of copying.
  finishDuplication: ['dynamodb:DeleteItem', 'dynamodb:UpdateItem', 'sqs:SendMessage'],
  // This deletes the entry of a website whose crawl by hand moves the time of the day.
  refreshWebsite: ['dynamodb:DeleteItem'],
  // This reads again what another request has changed.
  updateCallOutcome: ['dynamodb:GetItem'],
  recordCall: ['dynamodb:GetItem'],
  searchKnowledge: ['dynamodb:GetItem'],
  // These complete an interrupted deletion. An unchanged site that an earlier version has read gets an item with what its server said.
  crawlWebsite: ['dynamodb:DeleteItem', 'dynamodb:PutItem'],
  extractDocument: ['dynamodb:DeleteItem'],
  setHookSecret: ['dynamodb:DeleteItem'],
  // These move the entry of a call that is recorded again with another start, set an outcome that would block a withheld
  // number, and block a number that is already blocked.
  receiveHook: ['dynamodb:ConditionCheckItem', 'dynamodb:DeleteItem', 'dynamodb:PartiQLUpdate'],
  // This deletes the oldest version, from the 201st on.
  restoreAgent: ['dynamodb:DeleteItem'],
  // This resumes deliveries to an endpoint that failed for a minute.
  resumeDeliveries: ['dynamodb:BatchWriteItem', 'sqs:SendMessage'],
  // No message fails five times in these tests.
  giveUp: [...['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem', 's3:DeleteObject', 'sqs:SendMessage']],
  // This looks whether an upload is there whose last response was lost.
  exportCalls: ['s3:GetObject'],
  // This continues in another message after four minutes of indexing.
  indexKnowledge: ['sqs:SendMessage'],
};

/** The grants that keep first responses are the same for all operations. Tests repeat only requests that create something. */
const ofIdempotency = (name: string): readonly string[] =>
  routes.some((route) => route.name === name && takesIdempotencyKey(route))
    ? idempotency.for('claim', 'keep', 'release').permissions
    : [];

/** The permission with which S3 reports a missing file as 404 rather than 403. The emulator always does. */
const unasked = 's3:ListBucket';

describe('the grants, after all the tests', () => {
  const uses = usesByFunction();

  it('the grants sufficed: no function was denied anything', () => {
    const denied = [...uses]
      .filter(([name]) => name.startsWith(deployed.stack))
      .flatMap(([, all]) => all.filter(({ decision }) => decision === 'denied'));
    expect(denied).toEqual([]);
  });

  // A sample leaves out tests that use some.
  it.skipIf(isSample).each(functions.map((one) => [one.name, one] as const))('each grant of %s was used', (_, one) => {
    const used = new Set((uses.get(one.functionName) ?? []).map(({ action }) => action));
    const excused = [unasked, ...ofIdempotency(one.name), ...(rare[one.name] ?? [])];
    expect(one.granted.filter((action) => !used.has(action) && !excused.includes(action))).toEqual([]);
  });

  it('grants are excused for rare use only where they exist', () => {
    const needless = Object.entries(rare).flatMap(([name, actions]) => {
      const granted = functions.find((one) => one.name === name)?.granted ?? [];
      return actions.filter((action) => !granted.includes(action)).map((action) => `${action} of ${name}`);
    });
    expect(needless).toEqual([]);
  });
});

describe('the templates', () => {
  const lint = async (folder: string) => {
    const files = readdirSync(folder).filter((file) => file.endsWith('.template.json'));
    expect(files.length).toBeGreaterThan(5);
    // W3005: CDK writes down that a function waits for its role, which the reference to it says already.
    const words = ['--ignore-checks', 'W3005', '--', ...files.map((file) => join(folder, file))];
    return run(join(deployed.programs, 'cfn-lint'), words);
  };

  it('the templates pass cfn-lint: those that are deployed, and those of production with everything set', async () => {
    const app = buildApp(production);
    new VoiceAgentsStack(app, readSettings(app.node.getAllContext()));
    const { directory } = app.synth();
    const clean = { output: '', code: 0 };
    expect(await Promise.all([deployed.assembly, directory].map(lint))).toEqual([clean, clean]);
    rmSync(directory, { recursive: true });
  }, 600_000);
});

describe('the deployment', () => {
  const cloudFormation = new CloudFormationClient({});

  it('a repeated deployment changes nothing', async () => {
    const before = await cloudFormation.send(new DescribeStacksCommand({ StackName: deployed.stack }));
    const { status, text } = deploy(deployed.context);
    expect([status, text]).toEqual([0, expect.stringContaining('(no changes)')]);
    const after = await cloudFormation.send(new DescribeStacksCommand({ StackName: deployed.stack }));
    expect(after.Stacks?.[0]?.LastUpdatedTime).toEqual(before.Stacks?.[0]?.LastUpdatedTime);
    expect(after.Stacks?.[0]?.Outputs).toEqual(before.Stacks?.[0]?.Outputs);
  });

  it('a deployment that forgets a setting is refused before anything is changed', () => {
    const isForgotten = (word: string | undefined) => word?.startsWith('chatRatePerMinute=');
    const context = deployed.context.filter((word, index, all) => !isForgotten(word) && !isForgotten(all[index + 1]));
    expect(deploy(context)).toEqual({ status: 2, text: expect.stringContaining('  - chatRatePerMinute: 1000\n') });
  });

  it('the table of the deployment is restored by one command, from the table that AWS restores beside it', async () => {
    const operator = (...words: string[]) =>
      spawnSync(process.execPath, ['bin/voice-agents.ts', '--stack', deployed.stack, ...words], { encoding: 'utf8' });
    const attempt = randomUUID();
    const [before, after] = [`before-${attempt}`, `after-${attempt}`];
    expect(operator('user', 'create', before).status).toBe(0);
    const dynamodb = new DynamoDBClient({});
    const restored = `${deployed.stack}-restored-${attempt}`;
    await dynamodb.send(
      new RestoreTableToPointInTimeCommand({
        SourceTableName: deployed.outputs.TableName,
        TargetTableName: restored,
        UseLatestRestorableTime: true,
      }),
    );
    try {
      await waitUntilTableExists({ client: dynamodb, maxWaitTime: 60 }, { TableName: restored });
      expect(operator('user', 'create', after).status).toBe(0);
      const { status, stdout, stderr } = operator('restore', '--from', restored, '--yes', '--json');
      expect([status, stderr]).toEqual([0, '']);
      // Changes by jobs of earlier tests are restored, too.
      expect(JSON.parse(stdout)).toMatchObject({ done: true, deleted: expect.any(Number) });
      const isThere = async (uid: string) => {
        const key = marshall(userKey(uid));
        const { Item } = await dynamodb.send(new GetItemCommand({ TableName: deployed.outputs.TableName, Key: key }));
        return Item !== undefined;
      };
      expect([await isThere(before), await isThere(after)]).toEqual([true, false]);
    } finally {
      await dynamodb.send(new DeleteTableCommand({ TableName: restored }));
    }
  });

  it('a deployment that is destroyed leaves nothing, also while it is called', async () => {
    const headers = { 'x-authorization': target.apiKey };
    let isDown = false;
    const call = async () => {
      while (!isDown) await fetch(`${target.baseUrl}/agents?uid=${target.uid}`, { headers }).catch(() => {});
    };
    const callers = [call(), call(), call()];
    const ended = await run(process.execPath, ['bin/destroy.ts', '--force', ...deployed.context]);
    isDown = true;
    await Promise.all(callers);
    expect(ended).toEqual({ output: expect.any(String), code: 0 });
    const { StackSummaries = [] } = await cloudFormation.send(new ListStacksCommand({}));
    const left = StackSummaries.filter(
      ({ StackName, StackStatus }) => StackName?.startsWith(deployed.stack) && StackStatus !== 'DELETE_COMPLETE',
    );
    expect(left).toEqual([]);
    expect((await new DynamoDBClient({}).send(new ListTablesCommand({}))).TableNames).toEqual([]);
    expect((await new SQSClient({}).send(new ListQueuesCommand({}))).QueueUrls ?? []).toEqual([]);
    const { logGroups = [] } = await new CloudWatchLogsClient({}).send(
      new DescribeLogGroupsCommand({ logGroupNamePrefix: `/aws/lambda/${deployed.stack}` }),
    );
    expect(logGroups).toEqual([]);
  });
});
