import { Duration } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { type CfnRule, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { deliverWebhook } from '../functions/jobs/deliver-webhook.ts';
import { permissionsOfJob } from '../functions/jobs/job.ts';
import { jobs } from '../functions/jobs.ts';
import { sortKeysOfChanges } from '../functions/store/keys.ts';
import { readChanges } from '../functions/webhooks/read-changes.ts';
import type { DataStack } from './data-stack.ts';
import { suppress } from './nag-suppressions.ts';
import { NamedNestedStack } from './named-nested-stack.ts';
import { ServiceFunction } from './service-function.ts';
import type { Settings } from './settings.ts';

const memoryMegabytes = 1024;
/** The concurrency of one job: a burst of uploads must leave functions for the API. */
const maxConcurrency = 10;

/** All background work: a function for each job, triggered by the job's queue. */
export class JobsStack extends NamedNestedStack {
  /** Attempts to deliver a webhook that failed. */
  readonly failedDeliveries: Metric;

  constructor(scope: Construct, id: string, data: DataStack, settings: Settings) {
    super(scope, id);
    const functions = jobs.map((job) => {
      const queue = data.queueOf(job.name);
      const serviceFunction = new ServiceFunction(this, data, settings, {
        name: job.name,
        permissions: permissionsOfJob(job),
        services: job.services,
        timeoutSeconds: job.timeoutSeconds,
        memoryMegabytes: job.memoryMegabytes ?? memoryMegabytes,
        queue,
      });
      // One message per invocation: a job may use all the time and memory of its function.
      serviceFunction.lambda.addEventSource(
        new SqsEventSource(queue, {
          batchSize: 1,
          maxConcurrency: job.concurrency ?? maxConcurrency,
          reportBatchItemFailures: true,
        }),
      );
      return [job.name, serviceFunction] as const;
    });
    const ofDeliveries = new Map(functions).get(deliverWebhook.name) as ServiceFunction;
    this.failedDeliveries = ofDeliveries.countLines(
      'WebhookFailedDeliveries',
      FilterPattern.exists('$.failedDelivery'),
    );
    this.#readChanges(data, settings);
    if (settings.callRetentionDays) this.#startDaily(data);
    suppress(this, 'deadLetters');
  }

  /** The function of the table's stream. A change that fails is tried again for hours; it keeps those behind it in its shard waiting. */
  #readChanges(data: DataStack, settings: Settings) {
    const { table, deadLetters } = data;
    const { lambda } = new ServiceFunction(this, data, settings, {
      ...readChanges,
      memoryMegabytes,
      readsChanges: { table, deadLetters },
    });
    const { exact, prefixes } = sortKeysOfChanges;
    lambda.addEventSource(
      new DynamoEventSource(table, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: 1000,
        bisectBatchOnError: true,
        reportBatchItemFailures: true,
        retryAttempts: 1000,
        maxRecordAge: Duration.hours(24),
        onFailure: new SqsDlq(deadLetters),
        filters: [
          FilterCriteria.filter({
            dynamodb: { Keys: { sk: { S: [...exact, ...prefixes.map((prefix) => ({ prefix }))] } } },
          }),
        ],
      }),
    );
  }

  /** Has EventBridge send a message a day to each job that the clock starts. */
  #startDaily(data: DataStack) {
    for (const { name } of jobs.filter(({ daily }) => daily)) {
      const queue = data.queueOf(name);
      const rule = new Rule(this, `Daily-${name}`, {
        description: `Starts ${name} once a day.`,
        schedule: Schedule.rate(Duration.days(1)),
      });
      // The target itself would add to the queue's policy, which is in another part: a circle of the two.
      (rule.node.defaultChild as CfnRule).targets = [
        { id: 'Queue', arn: queue.queueArn, input: JSON.stringify({ job: name }) },
      ];
    }
  }
}
