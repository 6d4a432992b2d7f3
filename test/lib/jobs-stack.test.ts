import { expect, it } from 'vitest';
import { queueJobs } from '../../functions/jobs.ts';
import {
  everySetting,
  findFunction,
  getDeployment,
  type Json,
  listGrants,
  meant,
  type Resource,
} from '../support/deployment.ts';

const dev = getDeployment();
const configured = getDeployment(everySetting);

const listRules = (deployment: typeof dev) =>
  deployment
    .all('AWS::Events::Rule')
    .filter(({ properties }) => properties.ScheduleExpression)
    .map(({ properties: { Targets, ScheduleExpression } }) => [
      ...Targets.map((target: Json) => JSON.parse(target.Input).job),
      ScheduleExpression,
    ]);

it('the jobs that the clock starts get a message every few minutes, an hour, or a day where calls are kept for a limited time', () => {
  const often = queueJobs.flatMap(({ name, everyMinutes }) =>
    everyMinutes ? [[name, everyMinutes === 60 ? 'rate(1 hour)' : `rate(${everyMinutes} minutes)`]] : [],
  );
  const daily = queueJobs.flatMap(({ name, daily }) => (daily ? [[name, 'rate(1 day)']] : []));
  expect(listRules(dev)).toEqual(often);
  expect(listRules(configured).sort()).toEqual([...daily, ...often].sort());
  const senders = configured
    .all('AWS::SQS::QueuePolicy')
    .filter(({ properties }) => JSON.stringify(properties).includes('events.amazonaws.com'));
  expect(senders.length).toBe(daily.length + often.length);
  expect(findFunction(configured, 'listCalls').properties.Environment.Variables.CALL_RETENTION_DAYS).toBe('90');
  expect(findFunction(dev, 'listCalls').properties.Environment.Variables).not.toHaveProperty('CALL_RETENTION_DAYS');
});

it('parked changes are followed again after each deployment', () => {
  const rules = dev.all('AWS::Events::Rule').filter(({ properties }) => properties.EventPattern);
  expect(rules).toHaveLength(1);
  const { EventPattern, Targets } = (rules[0] as Resource).properties;
  expect(EventPattern.source).toEqual(['aws.cloudformation']);
  expect(EventPattern.detail['status-details']).toEqual({ status: ['CREATE_COMPLETE', 'UPDATE_COMPLETE'] });
  // It is the id of the whole deployment, not that of this part.
  const [{ Ref: parameter }] = EventPattern.detail['stack-id'];
  const [nested] = dev
    .all('AWS::CloudFormation::Stack')
    .filter(({ properties }) => properties.Parameters?.[parameter] !== undefined);
  expect(nested?.properties.Parameters[parameter]).toEqual({ Ref: 'AWS::StackId' });
  expect(Targets.map(({ Input }: Json) => JSON.parse(Input))).toEqual([{ job: 'retryChanges' }]);
});

const findQueue = (name: string) =>
  dev.all('AWS::SQS::Queue').find(({ properties }) => properties.QueueName === `voice-agents-dev-${name}`) as Resource;

it.each(queueJobs.map((job) => [job.name, job] as const))(
  'the job %s has a queue of its own, with dead letters',
  (name, job) => {
    const { properties } = findQueue(name);
    // AWS recommends this for functions that may be throttled.
    expect(properties.VisibilityTimeout).toBe(6 * job.timeoutSeconds);
    expect(properties.SqsManagedSseEnabled).toBe(true);
    expect(properties.RedrivePolicy.maxReceiveCount).toBe(name === 'giveUp' ? 1000 : 5);
    const dead = meant(dev, findQueue(name), properties.RedrivePolicy.deadLetterTargetArn);
    expect(dead.properties.QueueName).toBe(`voice-agents-dev-${job.isAwaited ? 'giveUp' : 'dead-letters'}`);
    expect(dead.properties.MessageRetentionPeriod).toBe(14 * 24 * 3600);
  },
);

it('the dead letters of jobs that somebody waits for start a function that may only report and continue their work', () => {
  const awaited = queueJobs.filter(({ isAwaited }) => isAwaited).map(({ name }) => name);
  expect(awaited.sort()).toEqual([
    'crawlWebsite',
    'createDeliveries',
    'erasePerson',
    'exportCalls',
    'exportPerson',
    'extractDocument',
    'finishDeletion',
    'importBlockList',
    'reconcileCalls',
  ]);
  const grants = listGrants(dev, 'giveUp').filter((grant) => /^(dynamodb|s3|sqs:Send)/.test(grant));
  expect(grants).toEqual([
    ...['dynamodb:DeleteItem on table', 'dynamodb:GetItem on format', 'dynamodb:GetItem on table'],
    ...['dynamodb:UpdateItem on table', 's3:DeleteObject on imports'],
    ...['crawlWebsite', 'createDeliveries', 'erasePerson', 'exportCalls', 'exportPerson', 'finishDeletion'].map(
      (job) => `sqs:SendMessage on queue of ${job}`,
    ),
  ]);
});

it('a function reads only the changes of the stream that are events or entries of the log, and retries all for twelve hours while it fails', () => {
  expect(dev.all('AWS::DynamoDB::Table')[0]?.properties.StreamSpecification).toEqual({
    StreamViewType: 'NEW_AND_OLD_IMAGES',
  });
  const reader = findFunction(dev, 'readChanges');
  const [source] = dev
    .all('AWS::Lambda::EventSourceMapping')
    .filter(({ properties }) => properties.FunctionName.Ref === reader.logicalId);
  expect(source?.properties).toMatchObject({
    StartingPosition: 'TRIM_HORIZON',
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    BisectBatchOnFunctionError: true,
    MaximumRecordAgeInSeconds: 12 * 3600,
  });
  // Only the time ends the attempts. The records are then a file, and a dead letter names it.
  expect(source?.properties.MaximumRetryAttempts).toBeUndefined();
  expect(JSON.stringify(source?.properties.DestinationConfig)).toMatch(/Files.*Arn/);
  const files = dev.all('AWS::S3::Bucket').find(({ properties }) => properties.CorsConfiguration) as Resource;
  const toDeadLetters = files.properties.NotificationConfiguration.QueueConfigurations.filter(({ Queue }: Json) =>
    JSON.stringify(Queue).includes('DeadLetters'),
  );
  expect(toDeadLetters.map(({ Filter }: Json) => Filter.S3Key.Rules)).toEqual([
    [{ Name: 'prefix', Value: 'aws/lambda/' }],
  ]);
  const { Pattern } = (source as Resource).properties.FilterCriteria.Filters[0];
  const keys = JSON.parse(Pattern).dynamodb.Keys.sk.S as (string | { prefix: string })[];
  const passes = (sk: string) => keys.some((key) => (typeof key === 'string' ? sk === key : sk.startsWith(key.prefix)));
  const exact = ['ACCESS', 'CALL', 'KEY', 'USER', 'WEBHOOKS', '+14155550100'];
  const passed = [
    ...exact,
    'AGENT#a',
    'WEBSITE#w',
    'DOCUMENT#d',
    'IMPORT#i',
    'ERASURE#e',
    'HOOK-SECRET#vapi',
    'PLATFORM-KEY#vapi',
  ];
  expect(passed.filter(passes)).toEqual(passed);
  expect(['KEY#k', 'TOKENS', 'change_1', 'EVENT#e', '2026-03-01T10:00:00Z#call'].filter(passes)).toEqual([]);
  const grants = listGrants(dev, 'readChanges').filter((grant) => !/ on (table|own log|\*)$/.test(grant));
  expect(grants).toContain('s3:PutObject on abandoned');
  expect(grants.join()).toMatch(/dynamodb:DescribeStream.*dynamodb:GetRecords.*dynamodb:GetShardIterator/);
});

it.each(queueJobs.map((job) => [job.name, job] as const))(
  'the job %s receives the messages of its queue one by one',
  (name, job) => {
    const one = findFunction(dev, name);
    expect(one.properties.Timeout).toBe(job.timeoutSeconds);
    expect(one.properties.MemorySize).toBe(job.memoryMegabytes ?? 1024);
    const sources = dev
      .all('AWS::Lambda::EventSourceMapping')
      .filter(({ properties }) => properties.FunctionName.Ref === one.logicalId);
    expect(sources).toHaveLength(1);
    expect(sources[0]?.properties).toMatchObject({
      BatchSize: job.messagesAtOnce ?? 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: job.concurrency ?? 10 },
    });
    expect(JSON.stringify(sources[0]?.properties.EventSourceArn)).toContain(`Queue${name}`);
  },
);

it('the jobs that files start are started by a property of the bucket and not by a custom resource', () => {
  const started = queueJobs.filter(({ startedByFilesUnder }) => startedByFilesUnder !== undefined);
  const bucket = dev.all('AWS::S3::Bucket').find(({ properties }) => properties.CorsConfiguration) as Resource;
  const notifications = bucket.properties.NotificationConfiguration?.QueueConfigurations ?? [];
  // A batch of changes that Lambda has given up is a dead letter.
  expect(notifications).toHaveLength(started.length + 1);
  for (const { name, startedByFilesUnder } of started) {
    const queue = findQueue(name);
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
