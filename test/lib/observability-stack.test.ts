import { readFileSync } from 'node:fs';
import type { SQSEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { ChatUsage } from '../../functions/chat/chat-usage.ts';
import { queueJob, queueWorker } from '../../functions/jobs/job.ts';
import { queueJobs } from '../../functions/jobs.ts';
import { table } from '../../functions/store/table.ts';
import { deliver } from '../../functions/webhooks/deliver.ts';
import { documentationPages } from '../../lib/documentation-pages.ts';
import { followUpJobs } from '../../lib/metrics.ts';
import { type Deployment, getDeployment, inProduction, type Json, type Resource } from '../support/deployment.ts';

const dev = getDeployment();
const prod = getDeployment(inProduction);

/** Returns true when a line of JSON matches a filter pattern of CloudWatch Logs: here always fields that equal texts, or exist (`*`). */
const matches = (pattern: string, line: Json) => {
  const terms = [...pattern.matchAll(/\$\.(\w+) = "([^"]*)"/g)];
  const [only] = terms;
  const all = terms.map(([term]) => `(${term})`).join(' && ');
  expect(pattern).toBe(terms.length === 1 ? `{ ${only?.[0]} }` : `{ ${all} }`);
  return terms.every(([, field = '', value]) => (value === '*' ? field in line : line[field] === value));
};

const alarms = (deployment: Deployment) => deployment.all('AWS::CloudWatch::Alarm').map(({ properties }) => properties);
/** Returns the names of all metrics of alarms, those of metric math included. */
const watched = (deployment: Deployment): string[] =>
  alarms(deployment).flatMap(({ MetricName, Metrics = [] }) =>
    MetricName ? [MetricName] : Metrics.flatMap(({ MetricStat }: Json) => MetricStat?.Metric.MetricName ?? []),
  );

it('an alarm watches the dead letters of all jobs', () => {
  const dead = alarms(dev).filter(({ Metrics }) =>
    JSON.stringify(Metrics ?? '').includes('ApproximateNumberOfMessagesVisible'),
  );
  expect(dead).toHaveLength(1);
  expect(JSON.stringify(dead[0].Metrics)).toMatch(/DeadLetters.*QueuegiveUp|QueuegiveUp.*DeadLetters/);
  expect(dead[0].Threshold).toBe(1);
});

it('one alarm counts the late messages of every job that the clock does not start, but those of the job of dead letters', () => {
  const counting = dev
    .all('AWS::Logs::MetricFilter')
    .filter(({ properties }) => properties.MetricTransformations[0].MetricName === 'LateMessages');
  const counted = queueJobs.filter(({ name, daily, everyMinutes }) => !daily && !everyMinutes && name !== 'giveUp');
  expect(counting.map(({ properties }) => properties.LogGroupName.Ref.replace(/Log[0-9A-F]{8}$/, '')).sort()).toEqual(
    counted.map(({ name }) => name).sort(),
  );
  expect(alarms(dev).filter(({ MetricName }) => MetricName === 'LateMessages')).toMatchObject([{ Threshold: 1 }]);
});

it('an alarm sees a queue that no function reads, where no user sees that its work waits', () => {
  const [unread] = alarms(dev).filter(({ Threshold }) => Threshold === 7200);
  const queues = unread.Metrics.flatMap(({ MetricStat }: Json) => MetricStat?.Metric.Dimensions ?? []);
  for (const name of followUpJobs) expect(JSON.stringify(queues)).toContain(`Queue${name}`);
  const { Expression } = unread.Metrics.find((metric: Json) => metric.Expression);
  expect(Expression).toBe(`MAX([${followUpJobs.map((name) => `FILL(${name}, 0)`).join(', ')}])`);
  // CloudWatch's limit.
  for (const { Metrics = [] } of alarms(prod)) expect(Metrics.length).toBeLessThanOrEqual(10);
});

it('the alarm on recovered calls is raised by more than 1 %, and every other one at its threshold', () => {
  const isAbove = ({ ComparisonOperator }: Json) => ComparisonOperator === 'GreaterThanThreshold';
  const [recovered, ...others] = alarms(prod).filter(isAbove);
  expect(others).toEqual([]);
  expect([recovered.Threshold, recovered.AlarmDescription]).toEqual([0.01, expect.stringContaining('More than 1 %')]);
  expect(JSON.stringify(recovered.Metrics)).toContain('RecoveredCalls');
});

it('the alarm on changes is raised after the time that it describes, in the unit of its metric', () => {
  const [waiting] = alarms(prod).filter(({ MetricName }) => MetricName === 'IteratorAge');
  expect(waiting.AlarmDescription).toContain('have waited for ten minutes');
  expect(waiting.Threshold).toBe(10 * 60 * 1000);
});

const filters = dev.all('AWS::Logs::MetricFilter');
const nothing = { ChatFailedTurns: 0, ChatBudgetExhausted: 0, WebhookFailedDeliveries: 0, LateMessages: 0 };
/** The filters of the lines that the tests below log. */
const logged = filters.filter(({ properties }) => properties.MetricTransformations[0].MetricName in nothing);
const counted = (lines: Json[]) =>
  Object.fromEntries(
    logged.map(({ properties }) => [
      properties.MetricTransformations[0].MetricName,
      lines.filter((line) => matches(properties.FilterPattern, line)).length,
    ]),
  );

it('a metric counts the lines of messages that had waited for an hour, and not those that waited for less', async () => {
  const { captureLog } = await import('../support/chat.ts');
  const captureLines = async (waitedSeconds: number) => {
    const job = queueJob({
      name: 'countCalls',
      message: z.object({}),
      services: {},
      timeoutSeconds: 1,
      handle: async () => {},
    });
    const attributes = { SentTimestamp: String(Date.now() - waitedSeconds * 1000) };
    const log = captureLog();
    await queueWorker(job)({ Records: [{ messageId: 'm', body: '{}', attributes }] } as unknown as SQSEvent).finally(
      () => log.stop(),
    );
    return log.lines();
  };
  expect(counted(await captureLines(3590))).toEqual(nothing);
  expect(counted(await captureLines(3600))).toEqual({ ...nothing, LateMessages: 1 });
});

it('the guide has every alarm in its table, and their number in the costs', () => {
  const guide = readFileSync('lib/README.md', 'utf8');
  const names = prod.all('AWS::CloudWatch::Alarm').map(({ logicalId }) => logicalId.replace(/[0-9A-F]{8}$/, ''));
  const composite = prod
    .all('AWS::CloudWatch::CompositeAlarm')
    .map(({ logicalId }) => logicalId.replace(/[0-9A-F]{8}$/, ''));
  expect([...names, ...composite].filter((name) => !guide.includes(`*${name}*`))).toEqual([]);
  const metrics = watched(prod).length;
  expect(guide).toContain(
    `| Alarms, ${names.length} of them, on ${metrics} metrics | $${(0.1 * metrics).toFixed(2)} |`,
  );
  expect(guide).toContain(
    `| Composite alarms, ${composite.length} of them | $${(0.5 * composite.length).toFixed(2)} |`,
  );
});

it('the description of an alarm ends with the address of its row in the documentation', () => {
  const [page] = documentationPages('<!-- content -->').filter(({ path }) => path === '/docs/operating-on-aws');
  const all = [...prod.all('AWS::CloudWatch::Alarm'), ...prod.all('AWS::CloudWatch::CompositeAlarm')];
  const descriptions: string[] = all.map(({ properties }) => properties.AlarmDescription);
  const isAddressed = (description: string) => {
    const [, id] = / https:\/\/api\.example\.com\/docs\/operating-on-aws#(\w+)$/.exec(description) ?? [];
    return page?.body.includes(`<em id="${id}">`);
  };
  expect(descriptions.filter((description) => !isAddressed(description))).toEqual([]);
  // CloudWatch's limit.
  expect(descriptions.filter(({ length }) => length > 1024)).toEqual([]);
});

it('metrics count the lines that the chat logs for a turn that fails, and for an exhausted budget', async () => {
  // Its module waits for the service, which starts while stacks are synthesized.
  const { captureLog, model, says, talk } = await import('../support/chat.ts');
  const captureLines = async (...turn: Parameters<typeof talk>) => {
    const log = captureLog();
    await talk(...turn).finally(() => log.stop());
    return log.lines();
  };
  expect(counted(await captureLines(model(says('Hello.'))))).toEqual(nothing);
  const failing = model([...says('Hello.').slice(0, 3), { type: 'error', error: new Error('The model failed.') }]);
  expect(counted(await captureLines(failing))).toEqual({ ...nothing, ChatFailedTurns: 1 });
  const nothingLeft = new ChatUsage(table.get(), { turnsPerMinute: 30, tokensPerDay: 0 });
  const { ChatBudgetExhausted } = counted(await captureLines(model(says('Hello.')), { usage: nothingLeft }));
  expect(ChatBudgetExhausted).toBeGreaterThan(0);
});

it('a metric counts the lines that are logged for attempts to deliver a webhook that fail, and not those that succeed', async () => {
  const [{ captureLog }, { newDelivery }] = await Promise.all([
    import('../support/chat.ts'),
    import('../support/webhooks.ts'),
  ]);
  const captureLines = async (status: number) => {
    const { message, services } = await newDelivery({ status });
    const log = captureLog();
    await deliver(message, services).finally(() => log.stop());
    return log.lines();
  };
  expect(counted(await captureLines(204))).toEqual(nothing);
  expect(counted(await captureLines(500))).toEqual({ ...nothing, WebhookFailedDeliveries: 1 });
});

it('the failed sign-ins of AI clients are one metric, counted in the log of each operation but that of the tools', () => {
  const counting = filters.filter(
    ({ properties }) => properties.MetricTransformations[0].MetricName === 'FailedSignIns',
  );
  expect(counting.map(({ properties }) => properties.FilterPattern)).toEqual(Array(7).fill('{ $.status = 500 }'));
  expect(alarms(dev).filter(({ MetricName }) => MetricName === 'FailedSignIns')).toHaveLength(1);
});

it('an idle deployment costs at most $6 a month, all alarms and secrets included', () => {
  const dollars =
    0.1 * watched(prod).length +
    0.5 * prod.all('AWS::CloudWatch::CompositeAlarm').length +
    // A metric that is counted from a log costs something only in hours in which it has a value.
    0.3 * filters.filter(({ properties }) => properties.MetricTransformations[0].DefaultValue !== undefined).length +
    0.4 * prod.all('AWS::SecretsManager::Secret').length;
  expect(dollars).toBeGreaterThan(1);
  expect(dollars).toBeLessThanOrEqual(6);
  // Anything else that is charged by the month would have to be added here.
  const charged = /WAF|KMS|EC2|NatGateway|ProvisionedConcurrency|Kinesis|OpenSearch|RDS|HostedZone|HealthCheck/;
  expect(prod.resources.filter(({ type }) => charged.test(type))).toEqual([]);
  // CloudWatch charges nothing for an account's first three dashboards of at most fifty metrics.
  const { DashboardBody } = prod.all('AWS::CloudWatch::Dashboard')[0]?.properties ?? {};
  const metrics = JSON.stringify(DashboardBody).match(/\[\\?"(AWS\/\w+|voice-agents-prod)/g) ?? [];
  expect(metrics.length).toBeGreaterThan(10);
  expect(metrics.length).toBeLessThanOrEqual(50);
});

it('an alarm watches the responses of CloudFront in the one region that has their metrics', () => {
  const all = prod.all('AWS::CloudWatch::Alarm');
  const alarm = all.find(({ logicalId }) => logicalId.startsWith('EdgeErrors')) as Resource;
  const condition = prod.templates.Observability.Conditions[alarm.definition.Condition];
  expect(condition).toEqual({ 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'us-east-1'] });
});

it('a budget sends mail on the costs with the tag of its deployment', () => {
  const [budget] = prod.all('AWS::Budgets::Budget') as [Resource];
  const { Budget, NotificationsWithSubscribers } = budget.properties;
  expect(Budget).toMatchObject({
    BudgetLimit: { Amount: 200, Unit: 'USD' },
    TimeUnit: 'MONTHLY',
    CostFilters: { TagKeyValue: ['user:deployment$voice-agents-prod'] },
  });
  expect(NotificationsWithSubscribers).toEqual([
    expect.objectContaining({ Subscribers: [{ Address: 'operator@example.com', SubscriptionType: 'EMAIL' }] }),
    expect.objectContaining({ Subscribers: [{ Address: 'operator@example.com', SubscriptionType: 'EMAIL' }] }),
  ]);
  expect(dev.all('AWS::Budgets::Budget')).toEqual([]);
});
