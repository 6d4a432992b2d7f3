import { Duration } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { type CfnRule, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, S3OnFailureDestination, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { deliverWebhook } from '../functions/jobs/deliver-webhook.ts';
import { giveUp } from '../functions/jobs/give-up.ts';
import { type AnyQueueJob, permissionsOfJob } from '../functions/jobs/job.ts';
import { reconcileCalls } from '../functions/jobs/reconcile-calls.ts';
import { retryChanges } from '../functions/jobs/retry-changes.ts';
import { jobs, listClockJobs, queueJobs } from '../functions/jobs.ts';
import { sortKeysOfChanges } from '../functions/store/keys.ts';
import type { DataStack } from './data-stack.ts';
import { suppress } from './nag-suppressions.ts';
import { NamedNestedStack } from './named-nested-stack.ts';
import { ServiceFunction } from './service-function.ts';
import type { Settings } from './settings.ts';

const memoryMegabytes = 1024;
/** The concurrency of one job, limited so that a burst of uploads leaves functions for the API. */
const maxConcurrency = 10;

/** The jobs that somebody waits for: neither those that the clock starts, whose failures are dead letters, nor the job of dead letters. */
const waitedFor = new Set<string>(
  queueJobs
    .filter(({ name, daily, everyMinutes }) => !daily && everyMinutes === undefined && name !== giveUp.name)
    .map(({ name }) => name),
);

/** All background work: a function for each job, triggered by the job's queue or by the table's stream. */
export class JobsStack extends NamedNestedStack {
  /** Failed attempts to deliver a webhook. */
  readonly failedDeliveries: Metric;
  /** Calls that hourly reconciliations have compared, and those among them that had to be recovered. */
  readonly comparedCalls: Metric;
  readonly recoveredCalls: Metric;
  /** Messages that had waited for an hour when their job received them. */
  readonly lateMessages: Metric;
  /** The items of the table whose changes are parked. */
  readonly parkedChanges: Metric;

  constructor(scope: Construct, id: string, data: DataStack, settings: Settings) {
    super(scope, id);
    const functions = jobs.map((job) => {
      const serviceFunction = new ServiceFunction(this, data, settings, {
        name: job.name,
        permissions: permissionsOfJob(job),
        services: job.services,
        timeoutSeconds: job.timeoutSeconds,
        memoryMegabytes: job.memoryMegabytes ?? memoryMegabytes,
        ...(job.kind === 'queue' ? { queue: data.getQueue(job.name) } : { readsChanges: true }),
      });
      serviceFunction.lambda.addEventSource(
        job.kind === 'queue' ? queueSource(data, job, settings) : streamSource(data),
      );
      return [job.name, serviceFunction] as const;
    });
    const deliveries = new Map<string, ServiceFunction>(functions).get(deliverWebhook.name) as ServiceFunction;
    this.failedDeliveries = deliveries.countLines('WebhookFailedDeliveries', FilterPattern.exists('$.failedDelivery'));
    const waits = functions.flatMap(([name, serviceFunction]) =>
      waitedFor.has(name) ? serviceFunction.countLines('LateMessages', FilterPattern.exists('$.waitedSeconds')) : [],
    );
    // They all have one name, and are one metric.
    this.lateMessages = waits[0] as Metric;
    const retrier = new Map<string, ServiceFunction>(functions).get(retryChanges.name) as ServiceFunction;
    this.parkedChanges = retrier.countLines('ParkedChanges', FilterPattern.exists('$.parked'), '$.parked');
    const reconciler = new Map<string, ServiceFunction>(functions).get(reconcileCalls.name) as ServiceFunction;
    const ofHour = FilterPattern.booleanValue('$.isHourly', true);
    this.comparedCalls = reconciler.countLines('ComparedCalls', ofHour, '$.listed');
    this.recoveredCalls = reconciler.countLines('RecoveredCalls', ofHour, '$.recovered');
    for (const { name, minutes } of listClockJobs(settings.callRetentionDays))
      this.#startByClock(data, name, Duration.minutes(minutes));
    this.#startByDeployment(data, retryChanges.name);
    suppress(this, 'deadLetters');
  }

  /** Configures EventBridge to send messages to a job that the clock starts. */
  #startByClock(data: DataStack, name: string, interval: Duration) {
    const rule = new Rule(this, `Clock-${name}`, {
      description: `Starts ${name} every ${interval.toHumanString()}.`,
      schedule: Schedule.rate(interval),
    });
    sendMessage(rule, data, name);
  }

  /** Configures EventBridge to send a message to a job after each deployment, which may be the remedy that the job waits for. */
  #startByDeployment(data: DataStack, name: string) {
    const rule = new Rule(this, `Deployment-${name}`, {
      description: `Starts ${name} after each deployment.`,
      eventPattern: {
        source: ['aws.cloudformation'],
        detailType: ['CloudFormation Stack Status Change'],
        detail: {
          'stack-id': [this.nestedStackParent?.stackId],
          'status-details': { status: ['CREATE_COMPLETE', 'UPDATE_COMPLETE'] },
        },
      },
    });
    sendMessage(rule, data, name);
  }
}

/** Configures a rule to send the message with only the name of a job. */
const sendMessage = (rule: Rule, data: DataStack, name: string) => {
  // `SqsQueue` would add to the queue's policy in the other nested stack, which would be a dependency cycle.
  (rule.node.defaultChild as CfnRule).targets = [
    { id: 'Queue', arn: data.getQueue(name).queueArn, input: JSON.stringify({ job: name }) },
  ];
};

const queueSource = (
  data: DataStack,
  { name, concurrency = maxConcurrency, messagesAtOnce }: AnyQueueJob,
  { deliveryConcurrency }: Settings,
) =>
  new SqsEventSource(data.getQueue(name), {
    batchSize: messagesAtOnce ?? 1,
    maxConcurrency: name === 'deliverWebhook' ? deliveryConcurrency : concurrency,
    reportBatchItemFailures: true,
  });

/**
 * Returns the table's stream as an event source. A change that fails by itself is parked. While the service fails, all changes are
 * retried, up to half the time for which the stream keeps them; then they are a file.
 */
const streamSource = ({ table, files }: DataStack) => {
  const { exact, prefixes } = sortKeysOfChanges;
  return new DynamoEventSource(table, {
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: 1000,
    // Few changes are read once per second instead of four times. Many changes are read by four functions per shard in parallel.
    maxBatchingWindow: Duration.seconds(1),
    parallelizationFactor: 4,
    bisectBatchOnError: true,
    reportBatchItemFailures: true,
    maxRecordAge: Duration.hours(12),
    onFailure: new S3OnFailureDestination(files),
    filters: [
      FilterCriteria.filter({
        dynamodb: { Keys: { sk: { S: [...exact, ...prefixes.map((prefix) => ({ prefix }))] } } },
      }),
      // The entry of a call that a request has deleted.
      FilterCriteria.filter({ dynamodb: { NewImage: { deletedBy: { M: { via: { S: FilterRule.exists() } } } } } }),
    ],
  });
};
