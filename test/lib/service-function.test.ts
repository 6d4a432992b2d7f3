import { matchesGlob } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { endpointPermissions } from '../../functions/http/permissions.ts';
import { permissionsOfJob } from '../../functions/jobs/job.ts';
import { jobs, queueJobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import {
  apiKeyKey,
  changeKey,
  guardedKeys,
  parkedChangeKey,
  parkedEntitiesKey,
  requestCountsKey,
  requestCountsPrefix,
  userKey,
} from '../../functions/store/keys.ts';
import {
  everySetting,
  findFunction,
  findRole,
  getDeployment,
  grantsOfPermissions,
  inProduction,
  type Json,
  listFunctions,
  listGrants,
  meant,
  own,
} from '../support/deployment.ts';

const dev = getDeployment();
const prod = getDeployment(inProduction);
const configured = getDeployment(everySetting);

it('each function has its own log, which is not kept forever', () => {
  for (const [deployment, days] of [
    [dev, 14],
    [prod, 180],
  ] as const) {
    const logs = new Set(
      listFunctions(deployment).map((one) => {
        const log = meant(deployment, one, one.properties.LoggingConfig.LogGroup);
        expect(log.type).toBe('AWS::Logs::LogGroup');
        expect(log.properties.LogGroupName).toBe(`/aws/lambda/${one.properties.FunctionName}`);
        return log.logicalId;
      }),
    );
    expect(logs.size).toBe(listFunctions(deployment).length);
    for (const { properties } of deployment.all('AWS::Logs::LogGroup')) expect(properties.RetentionInDays).toBe(days);
  }
});

it('each function has its own role, which only Lambda may assume', () => {
  const roles = listFunctions(dev).map((one) => findRole(dev, one));
  expect(new Set(roles.map(({ part, logicalId }) => part + logicalId)).size).toBe(listFunctions(dev).length);
  expect(dev.all('AWS::IAM::Role')).toHaveLength(listFunctions(dev).length);
  for (const { properties } of roles) {
    expect(properties.AssumeRolePolicyDocument.Statement).toEqual([
      { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } },
    ]);
    expect(properties.ManagedPolicyArns).toBeUndefined();
  }
  expect(dev.all('AWS::IAM::Policy')).toEqual([]);
  expect(dev.all('AWS::IAM::ManagedPolicy')).toEqual([]);
});

it.each(routes.map((endpoint) => [endpoint.name, endpoint] as const))(
  'the function of %s may do what its endpoint says, and nothing else',
  (name, endpoint) => {
    const expected = [...own, ...grantsOfPermissions(endpointPermissions(endpoint))];
    expect(listGrants(dev, name)).toEqual(expected.sort());
  },
);

it('the function of the pages may do nothing but log and trace', () => {
  expect(listGrants(dev, 'servePages')).toEqual(own);
});

it.each(queueJobs.map((job) => [job.name, job] as const))(
  'the function of %s may do what its job says, receive its messages, and nothing else',
  (name, job) => {
    const taking = ['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'];
    const expected = [
      ...own,
      ...grantsOfPermissions(permissionsOfJob(job)),
      ...taking.map((action) => `${action} on queue of ${name}`),
    ];
    expect(listGrants(dev, name)).toEqual(expected.sort());
  },
);

it('the function of AI clients may read nothing but the secret of their tokens: their calls are requests to the API, at its own address', () => {
  expect(listGrants(dev, 'serveMcp').sort()).toEqual(
    [...own, 'secretsmanager:GetSecretValue on webhookEncryption'].sort(),
  );
  const { API_URL, MCP_DELETES, ...others } = findFunction(dev, 'serveMcp').properties.Environment.Variables;
  expect(Object.keys(others).sort()).toEqual([
    'APP_ORIGIN',
    'EDGE_SECRETS',
    'MCP_OAUTH',
    'MCP_REGISTRATION',
    'METRIC_NAMESPACE',
    'PUBLIC_URL',
    'WEBHOOK_ENCRYPTION_KEY_ARN',
  ]);
  expect(JSON.stringify(API_URL)).toContain('.execute-api.');
  expect(MCP_DELETES).toBe('false');
  expect(findFunction(configured, 'serveMcp').properties.Environment.Variables.MCP_DELETES).toBe('true');
});

it('the function of hooks knows the public address, which platforms sign: of the domain, of CloudFront or of the API', () => {
  const listEnvironments = (deployment: typeof dev) =>
    deployment.all('AWS::Lambda::Function').flatMap(({ properties: { FunctionName, Environment } }) => {
      const { PUBLIC_URL, HOOK_KEYS_IN_ADDRESS } = Environment.Variables;
      return HOOK_KEYS_IN_ADDRESS === undefined
        ? []
        : [[FunctionName, JSON.stringify(PUBLIC_URL), HOOK_KEYS_IN_ADDRESS]];
    });
  const name = 'voice-agents-dev-receive-hook';
  expect(listEnvironments(dev)).toEqual([
    [name, expect.stringMatching(/"https:\/\/",.*DistributionDomainName|DomainName/), 'true'],
  ]);
  expect(listEnvironments(configured)).toEqual([[name, expect.any(String), 'false']]);
  expect(listEnvironments(prod)).toEqual([['voice-agents-prod-receive-hook', '"https://api.example.com"', 'true']]);
});

it('the operations with which AI clients sign in know the public address, and the two that are bounded by address the caller’s', () => {
  const getEnvironment = (name: string) => findFunction(dev, name).properties.Environment.Variables;
  const names = routes.filter(({ namesPublicUrl }) => namesPublicUrl).map(({ name }) => name);
  expect(names).toHaveLength(8);
  for (const name of names) expect(getEnvironment(name)).toMatchObject({ MCP_OAUTH: 'true', MCP_REGISTRATION: 'true' });
  const bounded = names.filter((name) => getEnvironment(name).CLIENT_ADDRESS_HEADER !== undefined);
  expect(bounded.sort()).toEqual(['authorizeClient', 'showAuthorization']);
  expect(findFunction(configured, 'issueToken').properties.Environment.Variables.MCP_OAUTH).toBe('false');
});

it('the functions get their resources by settings, and no secret', () => {
  const environment = findFunction(dev, 'duplicateAgent').properties.Environment.Variables;
  expect(Object.keys(environment).sort()).toEqual([
    'APP_ORIGIN',
    'EDGE_SECRETS',
    'ERASURE_SECRET_ARN',
    'FILES_BUCKET',
    'JOBS_QUEUE_URL',
    'METRIC_NAMESPACE',
    'QUOTA_AGENTS',
    'QUOTA_DAILY_WRITES',
    'QUOTA_SOURCES',
    'TABLE_NAME',
  ]);
  expect(findFunction(configured, 'addWebsite').properties.Environment.Variables).toMatchObject({
    QUOTA_AGENTS: '5000',
    QUOTA_SOURCES: '20',
  });
  expect(JSON.stringify(environment.JOBS_QUEUE_URL)).toContain('/voice-agents-dev-{job}');
  const invoices = findFunction(dev, 'getInvoices').properties.Environment.Variables;
  expect(Object.keys(invoices).sort()).toEqual(['APP_ORIGIN', 'EDGE_SECRETS', 'METRIC_NAMESPACE', 'STRIPE_SECRET_ARN']);
  expect(findFunction(configured, 'crawlWebsite').properties.Environment.Variables).toMatchObject({
    CRAWL_TRUSTED_ORIGINS: 'https://intranet.example.com',
  });
  for (const name of ['deliverWebhook', 'testWebhookEndpoint', 'createWebhookEndpoint', 'updateWebhookEndpoint']) {
    expect(findFunction(configured, name).properties.Environment.Variables).toMatchObject({
      WEBHOOK_TRUSTED_ORIGINS: 'http://crm.internal:8080',
    });
  }
  for (const { properties } of listFunctions(prod)) {
    const { EDGE_SECRETS: _, ...others } = properties.Environment?.Variables ?? {};
    expect(JSON.stringify(others)).not.toMatch(/resolve:secretsmanager|sk_|SecretString/);
  }
});

/** The functions that write guarded items, with the actions by which they do. */
const mayWrite: Record<keyof typeof guardedKeys, Record<string, string[]>> = {
  // They make and end API keys.
  apiKeys: {
    // They also delete keys that are over, where a user has many.
    'create-key': ['dynamodb:BatchWriteItem', 'dynamodb:PutItem'],
    'rotate-key': ['dynamodb:BatchWriteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
    'update-key': ['dynamodb:UpdateItem'],
    // It marks the keys of a user whose budget is reached.
    'check-budget': ['dynamodb:UpdateItem'],
    'revoke-key': ['dynamodb:UpdateItem'],
    'issue-token': ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
    'revoke-token': ['dynamodb:UpdateItem'],
    'update-user': ['dynamodb:UpdateItem'],
    'delete-user': ['dynamodb:BatchWriteItem'],
    'finish-user-deletion': ['dynamodb:BatchWriteItem'],
  },
  // The reader of the stream writes the log, which is deleted with its user.
  changes: {
    'read-changes': ['dynamodb:BatchWriteItem', 'dynamodb:PartiQLInsert'],
    // It follows parked changes.
    'retry-changes': ['dynamodb:BatchWriteItem', 'dynamodb:PartiQLInsert'],
    'finish-user-deletion': ['dynamodb:BatchWriteItem'],
  },
  // The reader of the stream parks changes. An erasure and a deletion empty or end them.
  parked: {
    'read-changes': ['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
    'retry-changes': ['dynamodb:DeleteItem', 'dynamodb:UpdateItem'],
    'erase-person': ['dynamodb:DeleteItem', 'dynamodb:UpdateItem'],
    'finish-deletion': ['dynamodb:DeleteItem', 'dynamodb:UpdateItem'],
    'finish-user-deletion': ['dynamodb:DeleteItem', 'dynamodb:UpdateItem'],
  },
};

it.each(Object.entries(mayWrite))(
  'writing %s is denied to functions that write to the table, except to a few',
  (kind, allowed) => {
    const writing = /^dynamodb:(BatchWriteItem|DeleteItem|PutItem|UpdateItem|PartiQL\w+)$/;
    const condition = {
      'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': [guardedKeys[kind as keyof typeof guardedKeys]] },
    };
    const ofRequests = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${requestCountsPrefix}*`] } };
    for (const one of listFunctions(dev)) {
      const { Statement } = findRole(dev, one).properties.Policies[0].PolicyDocument;
      const listActions = (statements: Json[]) =>
        statements.flatMap(({ Action }: Json) => Action).filter((action: string) => writing.test(action));
      // A grant on items with other keys writes no guarded one.
      const isOfRequests = ({ Condition }: Json) => isDeepStrictEqual(Condition, ofRequests);
      const granted = listActions(Statement.filter((one: Json) => one.Effect === 'Allow' && !isOfRequests(one)));
      const denied = listActions(
        Statement.filter(({ Effect, Condition }: Json) => Effect === 'Deny' && isDeepStrictEqual(Condition, condition)),
      );
      const name = String(one.properties.FunctionName).replace('voice-agents-dev-', '');
      const left = new Set<string>(granted.filter((action: string) => !denied.includes(action)));
      expect([name, [...left].sort()]).toEqual([name, allowed[name] ?? []]);
    }
  },
);

it('the patterns of guarded items match their keys, and no other key of a user', () => {
  expect(matchesGlob(apiKeyKey('a').pk, guardedKeys.apiKeys)).toBe(true);
  expect(matchesGlob(changeKey('uid', 'change_1').pk, guardedKeys.changes)).toBe(true);
  expect(matchesGlob(parkedChangeKey('entity', '1').pk, guardedKeys.parked)).toBe(true);
  expect(matchesGlob(parkedEntitiesKey.pk, guardedKeys.parked)).toBe(true);
  expect(matchesGlob(userKey('uid').pk, guardedKeys.changes)).toBe(false);
  const { pk } = requestCountsKey('a');
  expect([pk.startsWith(requestCountsPrefix), matchesGlob(pk, guardedKeys.apiKeys)]).toEqual([true, false]);
});

it('the functions that no request reaches do not know CloudFront’s secret', () => {
  for (const { name, services } of jobs) {
    const { EDGE_SECRETS } = findFunction(dev, name).properties.Environment.Variables;
    expect([name, EDGE_SECRETS === undefined]).toEqual([name, !('ownApi' in services)]);
  }
  expect(findFunction(dev, 'servePages').properties.Environment.Variables.EDGE_SECRETS).toBeDefined();
});
