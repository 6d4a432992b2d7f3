import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { ChatUsage } from '../../functions/chat/chat-usage.ts';
import { isStreamed, methodsOf } from '../../functions/http/endpoint.ts';
import { permissionsOf } from '../../functions/http/permissions.ts';
import { permissionsOfJob } from '../../functions/jobs/job.ts';
import { jobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import type { Permission } from '../../functions/service.ts';
import { chatAddressTokensKey, chatTokensKey, chatTurnsKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { deliver } from '../../functions/webhooks/deliver.ts';
import { toKebabCase } from '../../lib/bundles.ts';
import {
  type Deployment,
  deploymentOf,
  type Json,
  production,
  type Resource,
  required,
} from '../support/deployment.ts';

/** Whether a line of JSON matches a filter pattern of CloudWatch Logs: here always fields that equal texts, or are there (`*`). */
const matches = (pattern: string, line: Json) => {
  const terms = [...pattern.matchAll(/\$\.(\w+) = "([^"]*)"/g)];
  const [only] = terms;
  const all = terms.map(([term]) => `(${term})`).join(' && ');
  expect(pattern).toBe(terms.length === 1 ? `{ ${only?.[0]} }` : `{ ${all} }`);
  return terms.every(([, field = '', value]) => (value === '*' ? field in line : line[field] === value));
};

const dev = deploymentOf();
const prod = deploymentOf({ ...production, edgeSecretVersion: '2', chatModelId: 'eu.anthropic.claude-x-v1:0' });
/** Synthesizing takes seconds: what one setting changes is looked for in a deployment that has them all. */
const configured = deploymentOf({
  ...required,
  callRetentionDays: '90',
  chatConcurrency: 'shared',
  chatDailyTokens: '5000',
  chatModelId: 'anthropic.claude-x-v1:0',
  chatRatePerMinute: '7',
  crawlTrustedOrigins: 'https://intranet.example.com',
  edgeSecretVersion: '3',
  mcpDeletes: 'true',
  quotaAgents: '5000',
  quotaSources: '20',
  webhookTrustedOrigins: 'http://crm.internal:8080',
});
const profileArn = 'arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/abc';
const withoutEdge = deploymentOf({ ...required, edge: 'false', chatModelId: profileArn });
const both: [string, Deployment][] = [
  ['dev', dev],
  ['prod', prod],
];

const streamed = routes.filter(isStreamed);
const answered = routes.filter((endpoint) => !isStreamed(endpoint));
const functionsOf = (deployment: Deployment) => deployment.all('AWS::Lambda::Function');
const functionOf = (deployment: Deployment, name: string) =>
  functionsOf(deployment).find(({ properties }) =>
    properties.FunctionName.endsWith(`-${toKebabCase(name)}`),
  ) as Resource;

/** The resource of the same part that a `Ref` or a `Fn::GetAtt` means. */
const meant = (deployment: Deployment, from: Resource, reference: Json): Resource => {
  const id = reference?.Ref ?? reference?.['Fn::GetAtt']?.[0];
  return deployment.resources.find(({ part, logicalId }) => part === from.part && logicalId === id) as Resource;
};

const roleOf = (deployment: Deployment, one: Resource) => meant(deployment, one, one.properties.Role);

/** Every action a function may take with what it may take it on, as `action on resource`. */
const grantsOf = (deployment: Deployment, name: string): string[] => {
  const role = roleOf(deployment, functionOf(deployment, name));
  const list = (value: Json): Json[] => (Array.isArray(value) ? value : [value]);
  return role.properties.Policies.flatMap(({ PolicyDocument }: Json) =>
    PolicyDocument.Statement.flatMap((statement: Json) => {
      expect(statement.Effect).toBe('Allow');
      return list(statement.Action).flatMap((action) =>
        list(statement.Resource).map((resource) => `${action} on ${subjectOf(resource)}`),
      );
    }),
  ).sort();
};

/** What a resource of a policy is, in a word: another part's things come as parameters named after them. */
const subjectOf = (resource: Json): string => {
  const text = JSON.stringify(resource);
  if (text === '"*"') return '*';
  if (/foundation-model|inference-profile/.test(text)) return 'model';
  if (/Table[0-9A-F]{8}Arn/.test(text)) return 'table';
  if (/Files[0-9A-F]{8}Arn/.test(text)) {
    if (text.includes('/block-list-imports/*')) return 'imports';
    return text.includes('/documents/*') ? 'documents' : text.includes('/') ? text : 'bucket';
  }
  if (/StripeSecret/.test(text)) return 'stripe';
  if (/ChatSigningSecret/.test(text)) return 'chatSigning';
  if (/ErasureSecret/.test(text)) return 'erasure';
  if (/WebhookEncryptionKey/.test(text)) return 'webhookEncryption';
  const queue = /Queue([A-Za-z]+)[0-9A-F]{8}Arn/.exec(text)?.[1];
  if (queue) return `queue of ${queue}`;
  if (/Log[0-9A-F]{8}/.test(text)) return 'own log';
  return text;
};

const own = [
  'logs:CreateLogStream on own log',
  'logs:PutLogEvents on own log',
  'xray:PutTelemetryRecords on *',
  'xray:PutTraceSegments on *',
];
const subjects: Record<string, string[]> = {
  dynamodb: ['table'],
  s3: ['documents'],
  's3:ListBucket': ['bucket'],
  bedrock: ['model', 'model'],
};
const grantsOfPermissions = (permissions: Permission[]) =>
  permissions.flatMap((permission) => {
    const [service, action, name] = permission.split(':');
    if (service === 'sqs') return `sqs:${action} on queue of ${name}`;
    if (service === 's3' && name) return `s3:${action} on ${name}`;
    if (service === 'secretsmanager') return `secretsmanager:${action} on ${name}`;
    return (subjects[permission] ?? subjects[service as string] ?? []).map((on) => `${permission} on ${on}`);
  });

describe('the API', () => {
  it.each(both)(
    'in %s has a route for every endpoint that is answered at once and for the pages, and no other',
    (_, deployment) => {
      const keys = deployment.all('AWS::ApiGatewayV2::Route').map(({ properties }) => properties.RouteKey);
      const pages = ['GET /', 'GET /assets/{file}', 'GET /docs', 'GET /docs/{page}', 'GET /llms.txt'];
      const ours = answered.flatMap((endpoint) => methodsOf(endpoint).map((method) => `${method} ${endpoint.path}`));
      expect(keys.sort()).toEqual([...ours, ...pages].sort());
    },
  );

  it('hands each route to the function of its endpoint, by payload 2.0', () => {
    for (const { method, path, name } of answered) {
      const route = dev.all('AWS::ApiGatewayV2::Route').find((one) => one.properties.RouteKey === `${method} ${path}`);
      const integrationId = route?.properties.Target['Fn::Join'][1][1].Ref;
      const integration = dev.resources.find(({ logicalId }) => logicalId === integrationId) as Resource;
      expect(integration.properties).toMatchObject({ IntegrationType: 'AWS_PROXY', PayloadFormatVersion: '2.0' });
      expect(meant(dev, integration, integration.properties.IntegrationUri).properties.FunctionName).toBe(
        `voice-agents-dev-${toKebabCase(name)}`,
      );
    }
  });

  it('may invoke each function by its own route alone', () => {
    const permissions = dev.all('AWS::Lambda::Permission').filter(({ part }) => part === 'Api');
    expect(permissions).toHaveLength(answered.flatMap(methodsOf).length + 5);
    for (const { properties } of permissions) {
      expect(properties).toMatchObject({ Action: 'lambda:InvokeFunction', Principal: 'apigateway.amazonaws.com' });
      const source = properties.SourceArn['Fn::Join'][1].at(-1) as string;
      expect(source).toMatch(/^\/\*\/\*\//);
      const paths = [...answered.map(({ path }) => path), '/', '/docs', '/docs/*', '/llms.txt', '/assets/*'];
      expect(paths.map((path) => `/*/*${path.replace(/\{[^}]+\}/g, '*')}`)).toContain(
        source.replace(/\{[^}]+\}/g, '*'),
      );
    }
  });

  it('lets scripts of the application read its answers, and no others', () => {
    const [api] = dev.all('AWS::ApiGatewayV2::Api');
    expect(api?.properties.CorsConfiguration).toEqual({
      AllowOrigins: ['https://app.example.com'],
      AllowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      AllowHeaders: [
        'content-type',
        'x-authorization',
        'authorization',
        'idempotency-key',
        'mcp-protocol-version',
        'mcp-method',
        'mcp-name',
        'mcp-session-id',
        'last-event-id',
      ],
      ExposeHeaders: ['x-request-id', 'retry-after', 'idempotency-replayed'],
      MaxAge: 600,
    });
  });

  it('is throttled, and logs each request without its path and its query, which may hold a phone number and a key', () => {
    const [stage] = prod.all('AWS::ApiGatewayV2::Stage');
    expect(stage?.properties.DefaultRouteSettings).toMatchObject({
      ThrottlingRateLimit: 500,
      ThrottlingBurstLimit: 1000,
      DetailedMetricsEnabled: true,
    });
    const format = JSON.parse(stage?.properties.AccessLogSettings.Format);
    expect(format).toEqual({
      requestId: '$context.requestId',
      route: '$context.routeKey',
      status: '$context.status',
      milliseconds: '$context.responseLatency',
      error: '$context.integrationErrorMessage',
      ip: '$context.identity.sourceIp',
    });
    expect(stage?.properties).toMatchObject({ StageName: '$default', AutoDeploy: true });
  });
});

describe('the functions', () => {
  it.each(both)('in %s are those of the endpoints, the jobs and the pages, and no others', (_, deployment) => {
    const names = functionsOf(deployment).map(({ properties }) => properties.FunctionName);
    const stage = deployment === dev ? 'dev' : 'prod';
    const expected = [...[...routes, ...jobs].map(({ name }) => name), 'servePages', 'readChanges'];
    expect(names.sort()).toEqual(expected.map((name) => `voice-agents-${stage}-${toKebabCase(name)}`).sort());
  });

  it('have names that Lambda takes, also in the longest stage', () => {
    for (const { name } of [...routes, ...jobs]) {
      expect(`voice-agents-staging-${toKebabCase(name)}`).toMatch(/^[a-z0-9-]{1,64}$/);
    }
  });

  it('run on Node 24 on arm64, traced, and log JSON', () => {
    for (const { properties } of functionsOf(prod)) {
      expect(properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
        TracingConfig: { Mode: 'Active' },
        LoggingConfig: { LogFormat: 'JSON' },
      });
    }
  });

  it('of the API end before the gateway gives up, and have their memory named', () => {
    for (const { name, memoryMegabytes = 512 } of answered) {
      const { properties } = functionOf(dev, name);
      expect(properties.Timeout).toBe(29);
      expect(properties.MemorySize).toBe(memoryMegabytes);
    }
  });

  it('each have a log of their own, which is not kept for ever', () => {
    for (const [deployment, days] of [
      [dev, 14],
      [prod, 180],
    ] as const) {
      const logs = new Set(
        functionsOf(deployment).map((one) => {
          const log = meant(deployment, one, one.properties.LoggingConfig.LogGroup);
          expect(log.type).toBe('AWS::Logs::LogGroup');
          expect(log.properties.LogGroupName).toBe(`/aws/lambda/${one.properties.FunctionName}`);
          return log.logicalId;
        }),
      );
      expect(logs.size).toBe(functionsOf(deployment).length);
      for (const { properties } of deployment.all('AWS::Logs::LogGroup')) expect(properties.RetentionInDays).toBe(days);
    }
  });

  it('each have a role of their own, which Lambda alone may take', () => {
    const roles = functionsOf(dev).map((one) => roleOf(dev, one));
    expect(new Set(roles.map(({ part, logicalId }) => part + logicalId)).size).toBe(functionsOf(dev).length);
    expect(dev.all('AWS::IAM::Role')).toHaveLength(functionsOf(dev).length);
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
    'of %s may do what its endpoint says, and nothing else',
    (name, endpoint) => {
      const expected = [...own, ...grantsOfPermissions(permissionsOf(endpoint))];
      expect(grantsOf(dev, name)).toEqual(expected.sort());
    },
  );

  it('of the pages may do nothing but log and trace', () => {
    expect(grantsOf(dev, 'servePages')).toEqual(own);
  });

  it.each(jobs.map((job) => [job.name, job] as const))(
    'of %s may do what its job says, take its messages, and nothing else',
    (name, job) => {
      const taking = ['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'];
      const expected = [
        ...own,
        ...grantsOfPermissions(permissionsOfJob(job)),
        ...taking.map((action) => `${action} on queue of ${name}`),
      ];
      expect(grantsOf(dev, name)).toEqual(expected.sort());
    },
  );

  it('of AI clients is none: their calls are requests to the API, at its own address', () => {
    expect(grantsOf(dev, 'serveMcp')).toEqual(own);
    const { API_URL, MCP_DELETES, ...others } = functionOf(dev, 'serveMcp').properties.Environment.Variables;
    expect(Object.keys(others).sort()).toEqual(['APP_ORIGIN', 'EDGE_SECRETS']);
    expect(JSON.stringify(API_URL)).toContain('.execute-api.');
    expect(MCP_DELETES).toBe('false');
    expect(functionOf(configured, 'serveMcp').properties.Environment.Variables.MCP_DELETES).toBe('true');
  });

  it('get what they use by settings, and no secret', () => {
    const environment = functionOf(dev, 'duplicateAgent').properties.Environment.Variables;
    expect(Object.keys(environment).sort()).toEqual([
      'APP_ORIGIN',
      'EDGE_SECRETS',
      'FILES_BUCKET',
      'JOBS_QUEUE_URL',
      'QUOTA_AGENTS',
      'QUOTA_SOURCES',
      'TABLE_NAME',
    ]);
    expect(functionOf(configured, 'addWebsite').properties.Environment.Variables).toMatchObject({
      QUOTA_AGENTS: '5000',
      QUOTA_SOURCES: '20',
    });
    expect(JSON.stringify(environment.JOBS_QUEUE_URL)).toContain('/voice-agents-dev-{job}');
    const invoices = functionOf(dev, 'getInvoices').properties.Environment.Variables;
    expect(Object.keys(invoices).sort()).toEqual(['APP_ORIGIN', 'EDGE_SECRETS', 'STRIPE_SECRET_ARN']);
    expect(functionOf(configured, 'crawlWebsite').properties.Environment.Variables).toMatchObject({
      CRAWL_TRUSTED_ORIGINS: 'https://intranet.example.com',
    });
    for (const name of ['deliverWebhook', 'testWebhookEndpoint', 'createWebhookEndpoint', 'updateWebhookEndpoint']) {
      expect(functionOf(configured, name).properties.Environment.Variables).toMatchObject({
        WEBHOOK_TRUSTED_ORIGINS: 'http://crm.internal:8080',
      });
    }
    for (const { properties } of functionsOf(prod)) {
      const { EDGE_SECRETS: _, ...others } = properties.Environment?.Variables ?? {};
      expect(JSON.stringify(others)).not.toMatch(/resolve:secretsmanager|sk_|SecretString/);
    }
  });
});

describe('what is kept', () => {
  const [table] = prod.all('AWS::DynamoDB::Table') as [Resource];
  const files = prod.all('AWS::S3::Bucket').find(({ properties }) => properties.CorsConfiguration) as Resource;

  it('is retained in production, the table also against deletion', () => {
    expect(table.definition).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(table.properties.DeletionProtectionEnabled).toBe(true);
    for (const { definition } of prod.all('AWS::S3::Bucket')) {
      expect(definition).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    }
    expect(prod.stack.terminationProtection).toBe(true);
  });

  it('goes with the stacks in dev', () => {
    expect(dev.all('AWS::DynamoDB::Table')[0]?.definition.DeletionPolicy).toBe('Delete');
    expect(dev.all('AWS::DynamoDB::Table')[0]?.properties.DeletionProtectionEnabled).toBe(false);
    for (const { definition } of dev.all('AWS::S3::Bucket')) expect(definition.DeletionPolicy).toBe('Delete');
    expect(dev.stack.terminationProtection).toBe(false);
  });

  it('is a table paid by request, encrypted, restorable to any second, whose items end by ttlSeconds, without an index', () => {
    expect(table.properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      SSESpecification: { SSEEnabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      TimeToLiveSpecification: { AttributeName: 'ttlSeconds', Enabled: true },
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    });
    expect(table.properties.GlobalSecondaryIndexes).toBeUndefined();
    expect(table.properties.LocalSecondaryIndexes).toBeUndefined();
  });

  it.each(both)('in %s is in buckets that are private, encrypted and reached by TLS alone', (_, deployment) => {
    const buckets = deployment.all('AWS::S3::Bucket');
    expect(buckets).toHaveLength(2);
    const policies = deployment.all('AWS::S3::BucketPolicy');
    for (const bucket of buckets) {
      expect(bucket.properties.PublicAccessBlockConfiguration).toEqual({
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      });
      expect(bucket.properties.BucketEncryption).toBeDefined();
      const policy = policies.find(({ properties }) => properties.Bucket.Ref === bucket.logicalId);
      expect(policy?.properties.PolicyDocument.Statement).toContainEqual(
        expect.objectContaining({
          Effect: 'Deny',
          Action: 's3:*',
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        }),
      );
    }
  });

  it('is in a bucket that keeps no unfinished upload and takes forms from the application alone', () => {
    expect(files.properties.LifecycleConfiguration.Rules).toContainEqual(
      expect.objectContaining({ AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 }, Status: 'Enabled' }),
    );
    expect(files.properties.CorsConfiguration.CorsRules).toEqual([
      expect.objectContaining({ AllowedOrigins: ['https://app.example.com'], AllowedMethods: ['GET', 'POST'] }),
    ]);
    expect(files.properties.VersioningConfiguration).toBeUndefined();
  });

  it('has logical ids that never change: with another id it would be another table', () => {
    const stateful = prod.resources
      .filter(({ type }) => /DynamoDB|S3::Bucket$|SecretsManager|SQS::Queue$/.test(type))
      .map(({ logicalId }) => logicalId);
    expect(stateful).toEqual(expect.arrayContaining(frozen));
    expect(
      prod.resources.filter(({ type }) => type === 'AWS::CloudFormation::Stack').map((one) => one.logicalId),
    ).toEqual(expect.arrayContaining(['Data', 'Jobs', 'Api', 'Edge', 'Observability']));
  });

  it('has secrets that no template contains: one is created empty, the others by Secrets Manager', () => {
    const secrets = dev.all('AWS::SecretsManager::Secret');
    expect(secrets.map(({ logicalId }) => logicalId).sort()).toEqual([
      'ChatSigningSecret',
      'EdgeSecret1',
      'ErasureSecret',
      'StripeSecret',
      'WebhookEncryptionKey',
    ]);
    for (const { properties } of secrets) expect(properties.SecretString).toBeUndefined();
    const stripe = secrets.find(({ logicalId }) => logicalId === 'StripeSecret');
    expect(stripe?.properties.GenerateSecretString).toBeUndefined();
    for (const name of ['ChatSigningSecret', 'ErasureSecret', 'WebhookEncryptionKey']) {
      const generated = secrets.find(({ logicalId }) => logicalId === name);
      expect(generated?.properties.GenerateSecretString).toMatchObject({ PasswordLength: 64 });
    }
  });
});

const frozen = [
  'TableCD117FA1',
  'Files8E6940B8',
  'AccessLogs8B620ECA',
  'StripeSecret',
  'ChatSigningSecret',
  'ErasureSecret',
];

describe('the jobs', () => {
  it('that the clock starts get a message a day where calls are kept for a limited time, and else none', () => {
    expect(dev.all('AWS::Events::Rule')).toEqual([]);
    const rules = configured.all('AWS::Events::Rule');
    const daily = jobs.filter((job) => job.daily).map(({ name }) => name);
    expect(
      rules.map(({ properties }) => properties.Targets.map((target: Json) => JSON.parse(target.Input).job)),
    ).toEqual(daily.map((name) => [name]));
    const senders = configured
      .all('AWS::SQS::QueuePolicy')
      .filter(({ properties }) => JSON.stringify(properties).includes('events.amazonaws.com'));
    expect(senders.length).toBe(daily.length);
    expect(functionOf(configured, 'listCalls').properties.Environment.Variables.CALL_RETENTION_DAYS).toBe('90');
    expect(functionOf(dev, 'listCalls').properties.Environment.Variables).not.toHaveProperty('CALL_RETENTION_DAYS');
  });

  const queueOf = (name: string) =>
    dev
      .all('AWS::SQS::Queue')
      .find(({ properties }) => properties.QueueName === `voice-agents-dev-${name}`) as Resource;

  it.each(jobs.map((job) => [job.name, job] as const))('%s has a queue of its own, with dead letters', (name, job) => {
    const { properties } = queueOf(name);
    // Longer than a function may take, so that nobody else gets its message; not much, for a user waits for the next delivery.
    expect(properties.VisibilityTimeout).toBeGreaterThan(job.timeoutSeconds);
    expect(properties.VisibilityTimeout).toBeLessThanOrEqual(job.timeoutSeconds + 60);
    expect(properties.SqsManagedSseEnabled).toBe(true);
    expect(properties.RedrivePolicy.maxReceiveCount).toBe(3);
    const dead = meant(dev, queueOf(name), properties.RedrivePolicy.deadLetterTargetArn);
    expect(dead.properties.QueueName).toBe('voice-agents-dev-dead-letters');
    expect(dead.properties.MessageRetentionPeriod).toBe(14 * 24 * 3600);
  });

  it('a function reads the stream of the table, those changes alone that are events, and gives none up for hours', () => {
    expect(dev.all('AWS::DynamoDB::Table')[0]?.properties.StreamSpecification).toEqual({
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    });
    const reader = functionOf(dev, 'readChanges');
    const [source] = dev
      .all('AWS::Lambda::EventSourceMapping')
      .filter(({ properties }) => properties.FunctionName.Ref === reader.logicalId);
    expect(source?.properties).toMatchObject({
      StartingPosition: 'TRIM_HORIZON',
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
      MaximumRecordAgeInSeconds: 24 * 3600,
    });
    expect(JSON.stringify(source?.properties.DestinationConfig)).toContain('DeadLetters');
    const { Pattern } = (source as Resource).properties.FilterCriteria.Filters[0];
    const keys = JSON.parse(Pattern).dynamodb.Keys.sk.S as (string | { prefix: string })[];
    const passes = (sk: string) =>
      keys.some((key) => (typeof key === 'string' ? sk === key : sk.startsWith(key.prefix)));
    const passed = ['ACCESS', 'CALL', 'WEBHOOKS', '+14155550100', 'AGENT#a', 'WEBSITE#w', 'DOCUMENT#d', 'IMPORT#i'];
    expect(passed.filter(passes)).toEqual(passed);
    expect(['KEY', 'KEY#k', 'TOKENS', 'USER', 'EVENT#e', '2026-03-01T10:00:00Z#call'].filter(passes)).toEqual([]);
    const grants = grantsOf(dev, 'readChanges').filter((grant) => !/ on (table|own log|\*)$/.test(grant));
    expect(grants.join()).toMatch(/dynamodb:DescribeStream.*dynamodb:GetRecords.*dynamodb:GetShardIterator/);
  });

  it.each(jobs.map((job) => [job.name, job] as const))('%s works off its queue, one message a call', (name, job) => {
    const one = functionOf(dev, name);
    expect(one.properties.Timeout).toBe(job.timeoutSeconds);
    expect(one.properties.MemorySize).toBe(job.memoryMegabytes ?? 1024);
    const sources = dev
      .all('AWS::Lambda::EventSourceMapping')
      .filter(({ properties }) => properties.FunctionName.Ref === one.logicalId);
    expect(sources).toHaveLength(1);
    expect(sources[0]?.properties).toMatchObject({
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: job.concurrency ?? 10 },
    });
    expect(JSON.stringify(sources[0]?.properties.EventSourceArn)).toContain(`Queue${name}`);
  });

  it('have no queue that is nobody’s, and every queue is reached by TLS alone', () => {
    const queues = dev.all('AWS::SQS::Queue');
    // One for each job, and one for dead letters.
    expect(queues).toHaveLength(jobs.length + 1);
    for (const queue of queues) {
      const policy = dev
        .all('AWS::SQS::QueuePolicy')
        .find(({ properties }) => properties.Queues.some((one: Json) => one.Ref === queue.logicalId));
      expect(policy?.properties.PolicyDocument.Statement).toContainEqual(
        expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      );
    }
  });

  it('are started by files where they say so, by a property of the bucket and not by a custom resource', () => {
    const started = jobs.filter(({ startedByFilesUnder }) => startedByFilesUnder !== undefined);
    const bucket = dev.all('AWS::S3::Bucket').find(({ properties }) => properties.CorsConfiguration) as Resource;
    const notifications = bucket.properties.NotificationConfiguration?.QueueConfigurations ?? [];
    expect(notifications).toHaveLength(started.length);
    for (const { name, startedByFilesUnder } of started) {
      const queue = queueOf(name);
      expect(notifications).toContainEqual({
        Event: 's3:ObjectCreated:*',
        Filter: { S3Key: { Rules: [{ Name: 'prefix', Value: startedByFilesUnder }] } },
        Queue: { 'Fn::GetAtt': [queue.logicalId, 'Arn'] },
      });
      const policy = dev
        .all('AWS::SQS::QueuePolicy')
        .find(({ properties }) => properties.Queues.some((one: Json) => one.Ref === queue.logicalId)) as Resource;
      expect(bucket.definition.DependsOn).toContain(policy.logicalId);
      expect(policy.properties.PolicyDocument.Statement).toContainEqual(
        expect.objectContaining({
          Effect: 'Allow',
          Action: 'sqs:SendMessage',
          Principal: { Service: 's3.amazonaws.com' },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        }),
      );
    }
    expect(dev.resources.filter(({ type }) => /Custom::|CustomResource/.test(type))).toEqual([]);
  });
});

describe('the chat', () => {
  const [endpoint] = streamed as [(typeof streamed)[number]];

  it('streams from a Function URL that anyone may call, through both permissions AWS asks for', () => {
    const urls = dev.all('AWS::Lambda::Url');
    expect(urls).toHaveLength(1);
    expect(urls[0]?.properties).toMatchObject({ AuthType: 'NONE', InvokeMode: 'RESPONSE_STREAM' });
    const permissions = dev.all('AWS::Lambda::Permission').filter(({ part }) => part === 'Chat');
    expect(permissions.map(({ properties }) => properties)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ Action: 'lambda:InvokeFunctionUrl', FunctionUrlAuthType: 'NONE', Principal: '*' }),
        expect.objectContaining({ Action: 'lambda:InvokeFunction', InvokedViaFunctionUrl: true, Principal: '*' }),
      ]),
    );
    expect(permissions).toHaveLength(2);
  });

  it('may take a minute, and holds no more than its share of the account', () => {
    const { properties } = functionOf(dev, endpoint.name);
    expect(properties).toMatchObject({ Timeout: 60, ReservedConcurrentExecutions: 20, MemorySize: 1024 });
    expect(functionOf(configured, endpoint.name).properties.ReservedConcurrentExecutions).toBeUndefined();
  });

  it('gets its model and its budget by settings', () => {
    const { Variables } = functionOf(configured, endpoint.name).properties.Environment;
    expect(Variables).toMatchObject({
      CHAT_MODEL_ID: 'anthropic.claude-x-v1:0',
      CHAT_DAILY_TOKENS: '5000',
      CHAT_RATE_PER_MINUTE: '7',
      CHAT_SIGNING_SECRET_ARN: expect.anything(),
    });
    expect(Variables.CHAT_SIGNING_SECRET).toBeUndefined();
  });

  it('lets scripts of the application read the stream, and no others', () => {
    const { Cors } = dev.all('AWS::Lambda::Url')[0]?.properties ?? {};
    expect(Cors).toMatchObject({
      AllowOrigins: ['https://app.example.com'],
      AllowMethods: ['POST'],
      AllowHeaders: ['content-type', 'x-authorization'],
    });
  });

  it('may count its own usage and call its model, and has no right on what its tools work with', () => {
    const { Statement } = roleOf(dev, functionOf(dev, endpoint.name)).properties.Policies[0].PolicyDocument;
    const onTable = Statement.filter(({ Action }: Json) => String(Action).includes('dynamodb:'));
    expect(onTable).toMatchObject([
      {
        Action: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
        Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['CHAT#*'] } },
      },
    ]);
    expect(chatTurnsKey('10.0.0.1', 1).pk).toMatch(/^CHAT#/);
    expect(chatTokensKey('2026-03-01').pk).toMatch(/^CHAT#/);
    expect(chatAddressTokensKey('2026-03-01', '10.0.0.1').pk).toMatch(/^CHAT#/);
    expect(JSON.stringify(Statement)).not.toMatch(/"(s3|sqs):/);
  });

  it('may invoke the model that is set and no other, by profile or by model', () => {
    const resourcesOf = (deployment: Deployment) => {
      const role = roleOf(deployment, functionOf(deployment, endpoint.name));
      const statement = role.properties.Policies[0].PolicyDocument.Statement.find((one: Json) =>
        one.Action.startsWith?.('bedrock:'),
      );
      return JSON.stringify(statement.Resource);
    };
    expect(resourcesOf(configured)).toMatch(/::foundation-model\/anthropic\.claude-x-v1:0"\]\]\}$/);
    const byProfile = resourcesOf(prod);
    expect(byProfile).toMatch(/:inference-profile\/eu\.anthropic\.claude-x-v1:0"/);
    expect(byProfile).toMatch(/bedrock:\*::foundation-model\/anthropic\.claude-x-v1:0"/);
    expect(resourcesOf(withoutEdge)).toBe(JSON.stringify(profileArn));
  });
});

describe('the edge', () => {
  const distributionOf = (deployment: Deployment) =>
    deployment.all('AWS::CloudFront::Distribution')[0]?.properties.DistributionConfig as Json;
  const behaviorsOf = (config: Json) => [config.DefaultCacheBehavior, ...(config.CacheBehaviors ?? [])];

  it('forwards every method and header, caches nothing, and rejects plain HTTP', () => {
    for (const behavior of behaviorsOf(distributionOf(dev)).filter(({ PathPattern }) => PathPattern !== '/assets/*')) {
      expect(behavior).toMatchObject({
        // AWS's own CachingDisabled and AllViewerExceptHostHeader.
        CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
        OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
        ViewerProtocolPolicy: 'https-only',
        Compress: false,
      });
      expect(behavior.AllowedMethods).toHaveLength(7);
    }
  });

  it('keeps no log of its own, which would have the path and the query of each request', () => {
    const { WebACLId, Logging } = distributionOf(prod);
    expect([typeof WebACLId, Logging]).toEqual(['string', undefined]);
    const logging = /^AWS::(Logs::Delivery|WAFv2::LoggingConfiguration|CloudFront::RealtimeLogConfig)/;
    const types = prod.resources.map(({ type }) => type);
    expect(types.filter((type) => logging.test(type))).toEqual([]);
  });

  it('reaches its origins by TLS 1.2, and waits for them longer than any may take', () => {
    for (const { CustomOriginConfig } of distributionOf(dev).Origins) {
      expect(CustomOriginConfig).toMatchObject({
        OriginProtocolPolicy: 'https-only',
        OriginSSLProtocols: ['TLSv1.2'],
        OriginReadTimeout: 60,
      });
    }
  });

  it('sends the chat to its Function URL and everything else to the API', () => {
    const { Origins, DefaultCacheBehavior, CacheBehaviors = [] } = distributionOf(dev);
    const [chat, assets, ...others] = CacheBehaviors;
    expect([chat.PathPattern, assets.PathPattern, others]).toEqual([streamed[0]?.path, '/assets/*', []]);
    const originOf = (id: string) => JSON.stringify(Origins.find((one: Json) => one.Id === id).DomainName);
    expect(originOf(DefaultCacheBehavior.TargetOriginId)).toContain('.execute-api.');
    expect(originOf(chat.TargetOriginId)).toContain('Url');
    expect(assets.TargetOriginId).toBe(DefaultCacheBehavior.TargetOriginId);
    expect(assets.ViewerProtocolPolicy).toBe('https-only');
  });

  it('sends the caller’s address to the chat, whatever header the caller sends', () => {
    const [rule] = distributionOf(dev).CacheBehaviors;
    const [association] = rule.FunctionAssociations;
    expect(association.EventType).toBe('viewer-request');
    const { FunctionCode } = dev.all('AWS::CloudFront::Function')[0]?.properties ?? {};
    const event = { request: { headers: { 'x-viewer-address': { value: 'mine' } } }, viewer: { ip: '198.51.100.7' } };
    const sent = runInNewContext(`${FunctionCode}; handler(event)`, { event });
    expect(sent.headers['x-viewer-address']).toEqual({ value: '198.51.100.7' });
    const header = functionOf(dev, 'buildChat').properties.Environment.Variables.CLIENT_ADDRESS_HEADER;
    expect(header).toBe('x-viewer-address');
    expect(functionOf(withoutEdge, 'buildChat').properties.Environment.Variables.CLIENT_ADDRESS_HEADER).toBeUndefined();
  });

  it('sends its origins a secret that every function asks for, and that no template contains', () => {
    const secretsIn = (value: Json) =>
      [...JSON.stringify(value).matchAll(/resolve:secretsmanager:"?[^}]*?EdgeSecret(\d+)/g)].map(
        ([, version]) => version,
      );
    const versionsOf = (deployment: Deployment) => ({
      sent: distributionOf(deployment).Origins.map(({ OriginCustomHeaders }: Json) => {
        expect(OriginCustomHeaders).toHaveLength(1);
        expect(OriginCustomHeaders[0].HeaderName).toBe('x-origin-secret');
        return secretsIn(OriginCustomHeaders[0].HeaderValue);
      }),
      accepted: new Set(
        functionsOf(deployment).map(({ properties }) =>
          String(secretsIn(properties.Environment.Variables.EDGE_SECRETS)),
        ),
      ),
    });
    expect(versionsOf(dev)).toEqual({ sent: [['1'], ['1']], accepted: new Set(['1']) });
    // While CloudFront changes the header, both are accepted.
    expect(versionsOf(configured)).toEqual({ sent: [['3'], ['3']], accepted: new Set(['3,2']) });
    for (const { properties } of functionsOf(withoutEdge))
      expect(properties.Environment.Variables.EDGE_SECRETS).toBeUndefined();
    expect(withoutEdge.all('AWS::SecretsManager::Secret')).toHaveLength(4);
  });

  it('takes a domain with its certificate, a web ACL and countries when they are given', () => {
    expect(distributionOf(prod)).toMatchObject({
      Aliases: ['api.example.com'],
      ViewerCertificate: {
        AcmCertificateArn: production.certificateArn,
        MinimumProtocolVersion: 'TLSv1.2_2021',
        SslSupportMethod: 'sni-only',
      },
      WebACLId: production.webAclArn,
      Restrictions: { GeoRestriction: { RestrictionType: 'whitelist', Locations: ['DE', 'FR'] } },
    });
    const config = distributionOf(dev);
    expect(config.Aliases).toBeUndefined();
    expect(config.WebACLId).toBeUndefined();
  });

  it('can be switched off: then the API is the address', () => {
    expect(withoutEdge.all('AWS::CloudFront::Distribution')).toEqual([]);
    expect(functionOf(withoutEdge, 'servePages')).toBeUndefined();
    expect(withoutEdge.outputs.BaseUrl.Value).toEqual(withoutEdge.outputs.ApiUrl.Value);
  });
});

describe('what is watched', () => {
  const alarms = (deployment: Deployment) =>
    deployment.all('AWS::CloudWatch::Alarm').map(({ properties }) => properties);
  const watched = (deployment: Deployment) => alarms(deployment).map(({ MetricName }) => MetricName as string);

  it('is what users notice, by at most twenty alarms', () => {
    expect(alarms(prod).length).toBeLessThanOrEqual(20);
    expect(new Set(watched(prod))).toEqual(
      new Set([
        ...['5xx', 'Latency', 'Url5xxCount', 'ChatFailedTurns', 'ChatBudgetExhausted', 'WebhookFailedDeliveries'],
        ...['ApproximateNumberOfMessagesVisible', 'ApproximateAgeOfOldestMessage'],
        ...['ReadThrottleEvents', 'WriteThrottleEvents', 'Throttles', 'IteratorAge'],
      ]),
    );
  });

  it('is the dead letters of all jobs, and the waiting time of every job that the clock does not start', () => {
    const queueAlarms = alarms(dev).filter(({ Namespace }) => Namespace === 'AWS/SQS');
    expect(queueAlarms).toHaveLength(jobs.filter(({ daily }) => !daily).length + 1);
    const dead = queueAlarms.filter(({ MetricName }) => MetricName === 'ApproximateNumberOfMessagesVisible');
    expect(dead).toHaveLength(1);
    expect(JSON.stringify(dead[0].Dimensions)).toContain('DeadLetters');
    for (const alarm of dead) expect(alarm.Threshold).toBe(1);
  });

  it('has, for every alarm, a description that says what to do', () => {
    for (const { AlarmDescription } of alarms(prod)) {
      expect(AlarmDescription).toMatch(/\. .*\b([Rr]ead|[Ll]ook|[Cc]ompare|[Ff]ilter|wait|[Aa]sk|start|deploy)\b.*\.$/);
    }
  });

  const filters = dev.all('AWS::Logs::MetricFilter');
  const counted = (lines: Json[]) =>
    Object.fromEntries(
      filters.map(({ properties }) => [
        properties.MetricTransformations[0].MetricName,
        lines.filter((line) => matches(properties.FilterPattern, line)).length,
      ]),
    );
  const nothing = { ChatFailedTurns: 0, ChatBudgetExhausted: 0, WebhookFailedDeliveries: 0 };

  it('has every alarm in the table of the guide, and their number in what it costs', () => {
    const guide = readFileSync('lib/README.md', 'utf8');
    const names = prod.all('AWS::CloudWatch::Alarm').map(({ logicalId }) => logicalId.replace(/[0-9A-F]{8}$/, ''));
    const named = (name: string) => guide.includes(`*${name.startsWith('Waiting') ? 'Waiting' : name}*`);
    expect(names.filter((name) => !named(name))).toEqual([]);
    expect(guide).toContain(`| Alarms, ${names.length} of them | $${(0.1 * names.length).toFixed(2)} |`);
  });

  it('counts each metric of a log by an alarm, in the log of its function', () => {
    const logs = { Chat: 'build-chat', Webhook: 'deliver-webhook' };
    for (const filter of filters) {
      const { MetricNamespace, MetricName } = filter.properties.MetricTransformations[0];
      const [, name] = Object.entries(logs).find(([prefix]) => MetricName.startsWith(prefix)) as [string, string];
      const log = meant(dev, filter, filter.properties.LogGroupName);
      expect(log.properties.LogGroupName).toBe(`/aws/lambda/voice-agents-dev-${name}`);
      expect(alarms(dev)).toContainEqual(expect.objectContaining({ Namespace: MetricNamespace, MetricName }));
    }
  });

  it('counts the lines that the chat logs for a turn that fails, and for an exhausted budget', async () => {
    // Its module waits for the service, which starts while stacks are synthesized.
    const { captureLog, model, says, talk } = await import('../support/chat.ts');
    const linesOf = async (...turn: Parameters<typeof talk>) => {
      const log = captureLog();
      await talk(...turn).finally(() => log.stop());
      return log.lines();
    };
    expect(counted(await linesOf(model(says('Hello.'))))).toEqual(nothing);
    const failing = model([...says('Hello.').slice(0, 3), { type: 'error', error: new Error('The model failed.') }]);
    expect(counted(await linesOf(failing))).toEqual({ ...nothing, ChatFailedTurns: 1 });
    const nothingLeft = new ChatUsage(table.get(), { turnsPerMinute: 30, tokensPerDay: 0 });
    const { ChatBudgetExhausted } = counted(await linesOf(model(says('Hello.')), { usage: nothingLeft }));
    expect(ChatBudgetExhausted).toBeGreaterThan(0);
  });

  it('counts the lines that are logged for attempts to deliver a webhook that fail, and not those that succeed', async () => {
    const [{ captureLog }, { newDelivery }] = await Promise.all([
      import('../support/chat.ts'),
      import('../support/webhooks.ts'),
    ]);
    const linesOf = async (status: number) => {
      const { message, services } = await newDelivery({ status });
      const log = captureLog();
      await deliver(message, services).finally(() => log.stop());
      return log.lines();
    };
    expect(counted(await linesOf(204))).toEqual(nothing);
    expect(counted(await linesOf(500))).toEqual({ ...nothing, WebhookFailedDeliveries: 1 });
  });

  it('costs an idle deployment at most $4.50 a month, all alarms and secrets included', () => {
    const dollars =
      0.1 * watched(prod).length +
      // A metric that is counted from a log costs something only in hours in which it has a value.
      0.3 * filters.filter(({ properties }) => properties.MetricTransformations[0].DefaultValue !== undefined).length +
      0.4 * prod.all('AWS::SecretsManager::Secret').length;
    expect(dollars).toBeGreaterThan(1);
    expect(dollars).toBeLessThanOrEqual(4.5);
    // Anything else that is charged by the month would have to be added here.
    const charged = /WAF|KMS|EC2|NatGateway|ProvisionedConcurrency|Kinesis|OpenSearch|RDS|HostedZone|HealthCheck/;
    expect(prod.resources.filter(({ type }) => charged.test(type))).toEqual([]);
    // CloudWatch charges nothing for an account's first three dashboards of at most fifty metrics.
    const { DashboardBody } = prod.all('AWS::CloudWatch::Dashboard')[0]?.properties ?? {};
    const metrics = JSON.stringify(DashboardBody).match(/\[\\?"(AWS\/\w+|voice-agents-prod)/g) ?? [];
    expect(metrics.length).toBeGreaterThan(10);
    expect(metrics.length).toBeLessThanOrEqual(50);
  });

  it('notifies one topic, when it begins and when it ends; missing data is no alarm', () => {
    const [topic] = prod.all('AWS::SNS::Topic') as [Resource];
    expect(prod.all('AWS::SNS::Topic')).toHaveLength(1);
    for (const { AlarmActions, OKActions, TreatMissingData, AlarmDescription } of alarms(prod)) {
      expect(AlarmActions).toEqual([{ Ref: topic.logicalId }]);
      expect(OKActions).toEqual([{ Ref: topic.logicalId }]);
      expect(TreatMissingData).toBe('notBreaching');
      expect(AlarmDescription).toMatch(/\.$/);
    }
  });

  it('can be notified: the topic’s policy names CloudWatch, and requires TLS', () => {
    const statements = prod.all('AWS::SNS::TopicPolicy')[0]?.properties.PolicyDocument.Statement;
    expect(statements).toContainEqual(
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    );
    expect(statements).toContainEqual(expect.objectContaining({ Effect: 'Deny', Action: 'sns:Publish' }));
  });

  it('goes to the e-mail address that is set, if one is', () => {
    expect(prod.all('AWS::SNS::Subscription').map(({ properties }) => properties)).toEqual([
      expect.objectContaining({ Protocol: 'email', Endpoint: 'operator@example.com' }),
    ]);
    expect(dev.all('AWS::SNS::Subscription')).toEqual([]);
  });

  it('is shown on one dashboard, with every function on it', () => {
    const [dashboard, ...others] = dev.all('AWS::CloudWatch::Dashboard');
    expect(others).toEqual([]);
    expect(dashboard?.properties.DashboardName).toBe('voice-agents-dev');
    const body = JSON.stringify(dashboard?.properties.DashboardBody);
    for (const { properties } of functionsOf(dev)) expect(body).toContain(properties.FunctionName);
    expect(body).toContain('filter ispresent(failedDelivery)');
  });
});

describe('a deployment', () => {
  it('outputs what an operator needs under names that never change', () => {
    const names = [
      'AlarmTopic',
      'ApiUrl',
      'BaseUrl',
      'ChatSigningSecretName',
      'ChatUrl',
      'DashboardUrl',
      'ErasureSecretName',
      'FilesBucket',
      'StripeSecretName',
      'TableName',
    ];
    expect(Object.keys(dev.outputs).sort()).toEqual(names);
    expect(prod.outputs.BaseUrl.Value).toBe('https://api.example.com');
    expect(dev.stack.stackName).toBe('voice-agents-dev');
  });

  it('is the same whenever it is synthesized', () => {
    const digest = ({ templates }: Deployment) => createHash('sha256').update(JSON.stringify(templates)).digest('hex');
    expect(digest(deploymentOf())).toBe(digest(dev));
  });

  it('stays within CloudFormation’s 500 resources and 200 parameters a stack', () => {
    for (const { Resources, Parameters = {} } of Object.values(prod.templates)) {
      expect(Object.keys(Resources).length).toBeLessThan(450);
      expect(Object.keys(Parameters).length).toBeLessThan(200);
    }
  });

  it('bears its name on everything that can be tagged', () => {
    const tagged = dev.resources.filter(({ properties }) => Array.isArray(properties.Tags));
    expect(tagged.length).toBeGreaterThan(functionsOf(dev).length);
    for (const { properties } of tagged) {
      expect(properties.Tags).toContainEqual({ Key: 'deployment', Value: 'voice-agents-dev' });
    }
  });
});
