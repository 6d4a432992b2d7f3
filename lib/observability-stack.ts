import { Aws, Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  LogQueryVisualizationType,
  LogQueryWidget,
  Metric,
  Stats,
  TextWidget,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { AnyEndpoint } from '../functions/http/endpoint.ts';
import { jobs } from '../functions/jobs.ts';
import { readChanges } from '../functions/webhooks/read-changes.ts';
import type { ApiStack } from './api-stack.ts';
import { pagesFunction } from './bundles.ts';
import type { ChatStack } from './chat-stack.ts';
import type { DataStack } from './data-stack.ts';
import type { JobsStack } from './jobs-stack.ts';
import { suppress } from './nag-suppressions.ts';
import { NamedNestedStack } from './named-nested-stack.ts';
import { functionNameOf } from './service-function.ts';
import { deploymentName, type Settings } from './settings.ts';

const period = Duration.minutes(5);

/** Log groups that one query of CloudWatch Logs Insights takes at most. */
const maxLogGroups = 50;

/**
 * One topic, one dashboard, and alarms on what users notice: each says what to do. The dashboard shows every function from
 * its log, because CloudWatch charges for each metric of a dashboard beyond the first fifty.
 */
export class ObservabilityStack extends NamedNestedStack {
  readonly topic: Topic;
  readonly dashboard: Dashboard;

  constructor(
    scope: Construct,
    id: string,
    parts: { data: DataStack; jobs: JobsStack; api: ApiStack; endpoints: AnyEndpoint[]; chat: ChatStack | undefined },
    settings: Settings,
  ) {
    super(scope, id);
    const { data, api, endpoints, chat } = parts;
    const name = deploymentName(settings);

    this.topic = new Topic(this, 'Alarms', { displayName: `Alarms of ${name}`, enforceSSL: true });
    // A topic with a policy of its own lets nobody publish whom the policy does not name.
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    );
    if (settings.alarmEmail) {
      const undelivered = new Queue(this, 'UndeliveredAlarms', {
        encryption: QueueEncryption.SQS_MANAGED,
        enforceSSL: true,
        retentionPeriod: Duration.days(14),
      });
      suppress(undelivered, 'deadLetters');
      this.topic.addSubscription(new EmailSubscription(settings.alarmEmail, { deadLetterQueue: undelivered }));
    }

    const requests = api.api.metricCount({ period });
    const serverErrors = api.api.metricServerError({ period, statistic: Stats.SUM });
    this.#alarm(
      'ApiErrors',
      0.05,
      'For ten minutes, at least 5 % of the API requests have failed with 5xx. Filter the function logs by level "error"; if it began with a deployment, deploy the version before.',
      // The average over requests, which count 0 or 1 each, is the share of errors.
      { metric: api.api.metricServerError({ period, statistic: Stats.AVERAGE }), periods: 2 },
    );
    const slowest = api.api.metricLatency({ period, statistic: 'p99' });
    this.#alarm(
      'ApiLatency',
      5000,
      'One in a hundred API requests takes longer than 5 seconds. Compare the functions on the dashboard, and look at the throttling of the table.',
      {
        metric: slowest,
        periods: 3,
      },
    );

    if (chat) {
      this.#alarm(
        'ChatErrors',
        5,
        'The chat answers 5xx. Read its log, level "error": access to the model, the signing secret and the table are the usual causes.',
        {
          metric: chat.serverErrors.with({ period }),
        },
      );
      this.#alarm(
        'ChatFailedTurns',
        5,
        'Chat answers break off. Read "cause" in the chat’s log where "state" is "failed"; look at the model’s quotas in the Bedrock console.',
        {
          metric: chat.failedTurns.with({ period }),
        },
      );
      this.#alarm(
        'ChatBudget',
        1,
        'The chat’s tokens of the day are used up, for all callers or for those without a key. Look for one address with many turns; if the use is real, deploy with a higher chatDailyTokens.',
        {
          metric: chat.exhaustedBudget.with({ period }),
        },
      );
    }

    const queues = jobs.map((job) => ({
      job: job.name,
      // Nobody waits for what the clock starts: its failures are dead letters.
      isDaily: job.daily,
      age: data.queueOf(job.name).metricApproximateAgeOfOldestMessage({ period, statistic: Stats.MAXIMUM }),
    }));
    const dead = data.deadLetters.metricApproximateNumberOfMessagesVisible({ period, statistic: Stats.MAXIMUM });
    this.#alarm(
      'DeadLetters',
      1,
      'Work of a job failed three times: its name is in the message. Read its log where "givenUp" is set; when the cause is fixed, start a DLQ redrive in the SQS console. A message with "DDBStreamBatchInfo" names changes that webhooks were not told about: read the log of read-changes.',
      { metric: dead },
    );
    const streamAge = new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'IteratorAge',
      dimensionsMap: { FunctionName: functionNameOf(settings, readChanges.name) },
      statistic: Stats.MAXIMUM,
      period,
    });
    this.#alarm(
      'WebhookChanges',
      10 * 60 * 1000,
      'Changes of the table have waited for ten minutes before webhooks are told. Read the log of read-changes, level "error".',
      { metric: streamAge },
    );
    const failedDeliveries = parts.jobs.failedDeliveries.with({ period });
    this.#alarm(
      'WebhookDeliveries',
      100,
      'For fifteen minutes, at least twenty attempts a minute to deliver webhooks have failed. Look at the failed attempts by endpoint on the dashboard: if all are of one endpoint, its user has to repair or disable it; if of many, read the log of deliver-webhook, "reason".',
      { metric: failedDeliveries, periods: 3 },
    );
    for (const { job, age } of queues.filter(({ isDaily }) => !isDaily)) {
      this.#alarm(
        `Waiting-${job}`,
        3600,
        `Work of ${job} has waited for an hour. Look at its errors, and at the concurrency of the account.`,
        { metric: age },
      );
    }

    const tableThrottles = ['ReadThrottleEvents', 'WriteThrottleEvents'].map((metricName) =>
      data.table.metric(metricName, { period, statistic: Stats.SUM }),
    );
    for (const metric of tableThrottles) {
      this.#alarm(
        `Table${metric.metricName}`,
        10,
        'DynamoDB rejects requests. If the load is real, wait: a table on demand doubles its capacity within half an hour; a single hot item is a caller to slow down.',
        { metric },
      );
    }
    const throttles = new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', statistic: Stats.SUM, period });
    this.#alarm(
      'Concurrency',
      10,
      'Lambda rejects invocations in this account and region: the concurrency is used up. Ask AWS for more, or lower requestsPerSecond.',
      {
        metric: throttles,
      },
    );

    this.dashboard = new Dashboard(this, 'Dashboard', { dashboardName: name, defaultInterval: Duration.hours(12) });
    const graph = (title: string, left: IMetric[], right: IMetric[] = []) =>
      new GraphWidget({ title, left, right, width: 12, height: 7 });
    this.dashboard.addWidgets(
      new TextWidget({
        markdown: `# ${name}\nStage **${settings.stage}**, for ${settings.appOrigins.join(', ')}.`,
        width: 24,
        height: 2,
      }),
    );
    this.dashboard.addWidgets(
      graph('API: requests', [requests], [api.api.metricClientError({ period, statistic: Stats.SUM }), serverErrors]),
      graph('API: latency (ms)', [api.api.metricLatency({ period, statistic: 'p50', label: 'p50' }), slowest]),
    );
    this.dashboard.addWidgets(
      graph('Chat: failures', chat ? [chat.serverErrors, chat.failedTurns, chat.exhaustedBudget] : []),
      graph(
        'Concurrency of the account',
        [new Metric({ namespace: 'AWS/Lambda', metricName: 'ConcurrentExecutions', statistic: Stats.MAXIMUM, period })],
        [throttles],
      ),
    );
    this.dashboard.addWidgets(
      graph(
        'Jobs: oldest message (s) and dead letters',
        queues.map(({ age }) => age),
        [dead],
      ),
      graph(
        'Table: capacity and throttling',
        [
          data.table.metricConsumedReadCapacityUnits({ period }),
          data.table.metricConsumedWriteCapacityUnits({ period }),
        ],
        tableThrottles,
      ),
    );
    const deliveries = data.queueOf('deliverWebhook');
    this.dashboard.addWidgets(
      graph('Webhooks: age of the oldest change (ms)', [streamAge]),
      graph(
        'Webhooks: attempts, and the oldest that waits (s)',
        [deliveries.metricNumberOfMessagesDeleted({ period, statistic: Stats.SUM }), failedDeliveries],
        [deliveries.metricApproximateAgeOfOldestMessage({ period, statistic: Stats.MAXIMUM })],
      ),
      new LogQueryWidget({
        title: 'Webhooks: failed attempts by endpoint',
        logGroupNames: [`/aws/lambda/${functionNameOf(settings, 'deliverWebhook')}`],
        view: LogQueryVisualizationType.TABLE,
        queryLines: [
          'filter ispresent(failedDelivery)',
          'stats count(*) as attempts, count_distinct(failedDelivery) as deliveries, latest(reason) as latestReason by endpointId',
          'sort attempts desc',
        ],
        width: 24,
        height: 6,
      }),
    );
    const functions = [...endpoints, ...jobs, readChanges, ...(settings.edge ? [{ name: pagesFunction }] : [])];
    const logGroups = [...functions.map((one) => one.name), ...(chat ? [chat.functionName] : [])].map(
      (one) => `/aws/lambda/${functionNameOf(settings, one)}`,
    );
    for (let first = 0; first < logGroups.length; first += maxLogGroups) {
      this.dashboard.addWidgets(
        new LogQueryWidget({
          title: 'Every function: requests, failures, milliseconds',
          logGroupNames: logGroups.slice(first, first + maxLogGroups),
          view: LogQueryVisualizationType.TABLE,
          queryLines: [
            'fields coalesce(operation, job) as name, level = "error" as failed',
            'filter ispresent(name) and ispresent(milliseconds)',
            'stats count(*) as requests, sum(failed) as failures, pct(milliseconds, 50) as p50, pct(milliseconds, 99) as p99, max(milliseconds) as longest by name',
            'sort requests desc',
          ],
          width: 24,
          height: 12,
        }),
      );
    }
  }

  /** An alarm that publishes on the topic when a threshold is reached, and when it is over. No data is no alarm. */
  #alarm(
    id: string,
    threshold: number,
    alarmDescription: string,
    { metric, periods = 1 }: { metric: IMetric; periods?: number },
  ) {
    const alarm = new Alarm(this, id, {
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription,
    });
    const action = new SnsAction(this.topic);
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
}
