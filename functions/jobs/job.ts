import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import type { Needs } from '../http/endpoint.ts';
import { log } from '../log.ts';
import { lazyServices, type Service, type ServicesOf } from '../service.ts';

/** A piece of background work: what its message says, what it uses, and what it does. */
export type Job<Message extends z.core.$ZodType, U extends Record<string, Service<unknown>>> = Needs & {
  /** Also the `job` field of its messages, and in kebab-case the file's and the function's name. */
  name: string;
  message: Message;
  uses: U;
  /** How long one message may take. */
  timeoutSeconds: number;
  /** What its function has, where the stacks' own measure is too little. */
  memoryMegabytes?: number;
  /** A file put into the bucket under this prefix starts it too: then the message is S3's own event. */
  startedByFilesUnder?: string;
  /**
   * Does the work, until a time (Unix milliseconds). A message comes at least once, maybe late: doing it twice must
   * change nothing. What throws is delivered again, unless this was the last delivery: then `lastEndsBy` tells when
   * the function is ended at the latest, after which nobody works on the message any more.
   */
  handle(message: z.infer<Message>, services: ServicesOf<U>, until: number, lastEndsBy?: number): Promise<void>;
  /** After the last delivery has thrown: tells whoever waits for the work that it is given up. */
  giveUp?(message: z.infer<Message>, services: ServicesOf<U>): Promise<void>;
};

/** How often a message is delivered before it is a dead letter. */
export const mostDeliveries = 3;

// biome-ignore lint/suspicious/noExplicitAny: a job's types meet only inside it
export type AnyJob = Job<any, any>;
export type JobHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;

// biome-ignore lint/suspicious/noExplicitAny: a service of anything
export const job = <Message extends z.core.$ZodType, U extends Record<string, Service<any>>>(
  definition: Job<Message, U>,
) => definition;

/** Makes a job a Lambda handler for an SQS queue. A message that fails is delivered again, and holds no neighbour. */
export const worker = (job: AnyJob): JobHandler => {
  const services = lazyServices(job.uses);
  const work = async (event: SQSEvent): Promise<SQSBatchResponse> => {
    const endsBy = Date.now() + job.timeoutSeconds * 1000;
    const until = endsBy - job.timeoutSeconds * 200;
    const failed: string[] = [];
    for (const { messageId, body, attributes } of event.Records) {
      const started = performance.now();
      const isLast = Number(attributes?.ApproximateReceiveCount) >= mostDeliveries;
      const read = () => z.parse(job.message, JSON.parse(body));
      const fault = await attempt(async () => job.handle(read(), services, until, isLast ? endsBy : undefined));
      const unheard = fault && isLast ? await attempt(async () => job.giveUp?.(read(), services)) : undefined;
      if (fault) failed.push(messageId);
      log(fault ? 'error' : 'info', {
        messageId,
        job: job.name,
        milliseconds: Math.round(performance.now() - started),
        ...(fault && { cause: described(fault), ...(isLast && { givenUp: unheard ? described(unheard) : true }) }),
      });
    }
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  };
  return middy<SQSEvent, SQSBatchResponse>().handler(work) as unknown as JobHandler;
};

const described = ({ name, message, stack }: Error) => ({ name, message, stack });

const attempt = async (work: () => Promise<void>): Promise<Error | undefined> => {
  try {
    await work();
  } catch (error) {
    return error as Error;
  }
};
