import { Aws, Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
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
import { chatTimeoutSeconds, functionTimeoutSeconds } from '../functions/domain/timeouts.ts';
import type { AnyEndpoint } from '../functions/http/endpoint.ts';
import { jobs } from '../functions/jobs.ts';
import type { ApiStack } from './api-stack.ts';
import { pagesFunction } from './bundles.ts';
import type { DataStack } from './data-stack.ts';
import { suppress } from './nag-suppressions.ts';
import { NamedNestedStack } from './named-nested-stack.ts';
import { functionNameOf } from './service-function.ts';
import { deploymentName, type Settings } from './settings.ts';

const period = Duration.minutes(5);

/** Tells when something is wrong, and shows how it goes: one topic, one dashboard, alarms for every function. */
export class ObservabilityStack extends NamedNestedStack {
  readonly topic: Topic;
  readonly dashboard: Dashboard;

  constructor(
    scope: Construct,
    id: string,
    parts: { data: DataStack; api: ApiStack; endpoints: AnyEndpoint[]; chat: AnyEndpoint | undefined },
    settings: Settings,
  ) {
    super(scope, id);
    const { data, api, endpoints, chat } = parts;

    this.topic = new Topic(this, 'Alarms', { displayName: `Alarms of ${deploymentName(settings)}`, enforceSSL: true });
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

    const functions = [
      ...endpoints.map(({ name }) => ({ name, timeoutSeconds: functionTimeoutSeconds })),
      ...(chat ? [{ name: chat.name, timeoutSeconds: chatTimeoutSeconds }] : []),
      ...jobs.map(({ name, timeoutSeconds }) => ({ name, timeoutSeconds })),
      ...(settings.edge ? [{ name: pagesFunction, timeoutSeconds: functionTimeoutSeconds }] : []),
    ];
    const metricOf = (name: string, metricName: string, statistic: string) =>
      new Metric({
        namespace: 'AWS/Lambda',
        metricName,
        dimensionsMap: { FunctionName: functionNameOf(settings, name) },
        statistic,
        period,
      });
    for (const { name, timeoutSeconds } of functions) {
      const functionName = functionNameOf(settings, name);
      this.#alarm(`Errors-${name}`, metricOf(name, 'Errors', Stats.SUM), 1, `${functionName} failed: see its log.`);
      this.#alarm(
        `Throttles-${name}`,
        metricOf(name, 'Throttles', Stats.SUM),
        1,
        `${functionName} was refused a place to run: concurrency is used up.`,
      );
      this.#alarm(
        `Duration-${name}`,
        metricOf(name, 'Duration', Stats.MAXIMUM),
        timeoutSeconds * 1000 * (name === chat?.name ? 0.98 : 0.9),
        `${functionName} came near its limit of ${timeoutSeconds} seconds.`,
      );
    }

    const waiting = jobs.map(({ name }) => ({
      name,
      dead: data.deadLettersOf(name).metricApproximateNumberOfMessagesVisible({ period, statistic: Stats.MAXIMUM }),
      age: data.queueOf(name).metricApproximateAgeOfOldestMessage({ period, statistic: Stats.MAXIMUM }),
    }));
    for (const { name, dead, age } of waiting) {
      this.#alarm(`DeadLetters-${name}`, dead, 1, `Work of ${name} was given up: look at its dead letters.`);
      this.#alarm(`Waiting-${name}`, age, 3600, `Work for ${name} has waited for an hour.`);
    }

    const requests = api.api.metricCount({ period });
    const serverErrors = api.api.metricServerError({ period, statistic: Stats.SUM });
    const clientErrors = api.api.metricClientError({ period, statistic: Stats.SUM });
    this.#alarm('ApiServerErrors', serverErrors, 5, 'The API answered 5xx five times within five minutes.');
    const tableThrottles = data.table.metricThrottledRequestsForOperations({ period });

    this.dashboard = new Dashboard(this, 'Dashboard', {
      dashboardName: deploymentName(settings),
      defaultInterval: Duration.hours(12),
    });
    const graph = (title: string, left: IMetric[], right: IMetric[] = []) =>
      new GraphWidget({ title, left, right, width: 12, height: 7 });
    const every = (metricName: string, statistic: string) =>
      functions.map(({ name }) => metricOf(name, metricName, statistic).with({ label: name }));
    this.dashboard.addWidgets(
      new TextWidget({
        markdown: `# ${deploymentName(settings)}\nStage **${settings.stage}**, for ${settings.appOrigins.join(', ')}.`,
        width: 24,
        height: 2,
      }),
    );
    this.dashboard.addWidgets(
      graph('API: requests', [requests], [clientErrors, serverErrors]),
      graph('API: latency (ms)', [
        api.api.metricLatency({ period, statistic: 'p50', label: 'p50' }),
        api.api.metricLatency({ period, statistic: 'p99', label: 'p99' }),
      ]),
    );
    this.dashboard.addWidgets(
      graph('Functions: calls', every('Invocations', Stats.SUM)),
      graph('Functions: errors', every('Errors', Stats.SUM), every('Throttles', Stats.SUM)),
    );
    this.dashboard.addWidgets(
      graph('Functions: longest (ms)', every('Duration', Stats.MAXIMUM)),
      graph('Functions: at once', every('ConcurrentExecutions', Stats.MAXIMUM)),
    );
    this.dashboard.addWidgets(
      graph(
        'Jobs: oldest waiting (s)',
        waiting.map(({ age }) => age),
        waiting.map(({ dead }) => dead),
      ),
      graph(
        'Table: capacity used',
        [
          data.table.metricConsumedReadCapacityUnits({ period }),
          data.table.metricConsumedWriteCapacityUnits({ period }),
        ],
        [tableThrottles],
      ),
    );
  }

  /** An alarm that goes off at a threshold and says so on the topic, also when it is over. Silence is no alarm. */
  #alarm(id: string, metric: IMetric, threshold: number, alarmDescription: string) {
    const alarm = new Alarm(this, id, {
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription,
    });
    const action = new SnsAction(this.topic);
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
}
