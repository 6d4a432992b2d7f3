import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import type { JobName } from '../domain/job-messages.ts';
import { describeError, log } from '../log.ts';
import { lazyServices, type Permission, permissionsOfServices, type Service, type ServicesOf } from '../service.ts';

/** A piece of background work: its message, what it uses, and what it does. */
export type Job<Message extends z.core.$ZodType, Services extends Record<string, Service<unknown>>> = {
  /** Also the `job` field of its messages, and in kebab-case the name of the file and the function. */
  name: JobName;
  message: Message;
  /** The stores and clients it uses, by method. Its function is granted what these need, and nothing else. */
  services: Services;
  /** The maximum time for one message. */
  timeoutSeconds: number;
  /** The memory of its function, where the stacks' default is too little. */
  memoryMegabytes?: number;
  /** The clock starts it, too, once a day, where calls are kept for a limited time: the message has nothing but its name. */
  daily?: true;
  /** How many messages are worked on at once, where the work is mostly waiting. */
  concurrency?: number;
  /** A file put into the bucket under this prefix starts it too: then the message is S3's own event. */
  startedByFilesUnder?: string;
  /**
   * Does the work, until a time (Unix milliseconds). A message is delivered at least once, maybe late: doing it twice must
   * change nothing. What throws is delivered again, unless this was the last delivery: then `lastEndsBy` is the time
   * by which the function has ended, and nobody works on the message after it.
   */
  handle(message: z.infer<Message>, services: ServicesOf<Services>, until: number, lastEndsBy?: number): Promise<void>;
  /** Runs after the last delivery has failed: reports the failure to those who wait for the work. */
  giveUp?(message: z.infer<Message>, services: ServicesOf<Services>): Promise<void>;
};

/** How often a message is delivered before it is a dead letter. */
export const maxDeliveries = 3;

// biome-ignore lint/suspicious/noExplicitAny: a job's types meet only inside it
export type AnyJob = Job<any, any>;
export type JobHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;

// biome-ignore lint/suspicious/noExplicitAny: a service of anything
export const job = <Message extends z.core.$ZodType, Services extends Record<string, Service<any>>>(
  definition: Job<Message, Services>,
) => definition;

/** What a job's function may do on AWS. */
export const permissionsOfJob = ({ services }: AnyJob): Permission[] => permissionsOfServices(services);

/** Makes a job a Lambda handler for an SQS queue. A message that fails is delivered again without its batch. */
export const worker = (job: AnyJob): JobHandler => {
  const services = lazyServices(job.services);
  return async (event) => {
    const endsAt = Date.now() + job.timeoutSeconds * 1000;
    const until = endsAt - job.timeoutSeconds * 200;
    const failed: string[] = [];
    for (const { messageId, body, attributes } of event.Records) {
      const started = performance.now();
      const isLast = Number(attributes?.ApproximateReceiveCount) >= maxDeliveries;
      const read = () => z.parse(job.message, JSON.parse(body));
      const failure = await attempt(async () => job.handle(read(), services, until, isLast ? endsAt : undefined));
      const reportFailure = failure && isLast ? await attempt(async () => job.giveUp?.(read(), services)) : undefined;
      if (failure) failed.push(messageId);
      log(failure ? 'error' : 'info', {
        messageId,
        job: job.name,
        milliseconds: Math.round(performance.now() - started),
        ...(failure && {
          cause: describeError(failure),
          ...(isLast && { givenUp: reportFailure ? describeError(reportFailure) : true }),
        }),
      });
    }
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  };
};

const attempt = async (work: () => Promise<void>): Promise<Error | undefined> => {
  try {
    await work();
  } catch (error) {
    return error as Error;
  }
};
