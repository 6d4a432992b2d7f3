import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Construct } from 'constructs';
import { permissionsOfJob } from '../functions/jobs/job.ts';
import { jobs } from '../functions/jobs.ts';
import type { DataStack } from './data-stack.ts';
import { suppress } from './nag-suppressions.ts';
import { NamedNestedStack } from './named-nested-stack.ts';
import { ServiceFunction } from './service-function.ts';
import type { Settings } from './settings.ts';

const memoryMegabytes = 1024;
/** How many messages of one job are worked on at once, so that a burst of uploads leaves functions for the API. */
const atOnce = 10;

/** All background work: a function for each job, fed by the job's queue. */
export class JobsStack extends NamedNestedStack {
  constructor(scope: Construct, id: string, data: DataStack, settings: Settings) {
    super(scope, id);
    for (const job of jobs) {
      const queue = data.queueOf(job.name);
      const { lambda } = new ServiceFunction(this, data, settings, {
        name: job.name,
        permissions: permissionsOfJob(job),
        services: job.services,
        timeoutSeconds: job.timeoutSeconds,
        memoryMegabytes: job.memoryMegabytes ?? memoryMegabytes,
        worksOff: queue,
      });
      // One message a call: a job may take all the time and memory that its function has.
      lambda.addEventSource(
        new SqsEventSource(queue, { batchSize: 1, maxConcurrency: atOnce, reportBatchItemFailures: true }),
      );
    }
    suppress(this, 'deadLetters');
  }
}
