import type {
  DynamoDBBatchResponse,
  DynamoDBRecord,
  DynamoDBStreamEvent,
  SQSBatchResponse,
  SQSEvent,
  SQSRecord,
} from 'aws-lambda';
import * as z from 'zod/mini';
import { type Cause, withCause } from '../cause.ts';
import { type JobName, MessageCause } from '../domain/job-messages.ts';
import { newSpanId, readTrace } from '../domain/trace.ts';
import { environment } from '../environment.ts';
import { describeError, log } from '../log.ts';
import { lazyServices, type Permission, permissionsOfServices, type Service, type ServicesOf } from '../service.ts';
import { reportSpan } from '../spans.ts';
import { reportFailure, toReference } from '../store/table-changes.ts';
import { pauseSeconds, retrySoon } from './retry-soon.ts';

// biome-ignore lint/suspicious/noExplicitAny: a service of anything
type Services = Record<string, Service<any>>;

type Job<S extends Services> = {
  /** The name of the job. In kebab-case, it is also the name of its file and its function. */
  name: string;
  /** The stores and clients that the job uses, by method. Its function gets only the permissions that these need. */
  services: S;
  /** The maximum time for one message, or for one batch of changes. */
  timeoutSeconds: number;
  /** The memory of its function, if the stacks' default is too small. */
  memoryMegabytes?: number;
};

/** The points in time that a job observes, in Unix milliseconds. */
export type JobDeadlines = {
  /** The job stops working then, and leaves the rest to another message. */
  until: number;
  /** At the last delivery of a message: the function has ended by then, and the message is not processed again. */
  lastDeliveryEndsAt?: number;
};

/** Background work that is started by the messages of a queue. */
export type QueueJob<Message extends z.core.$ZodType, S extends Services> = Job<S> & {
  kind: 'queue';
  /** The name of the job, which is also the `job` field of its messages. The job `giveUp` gets those of other jobs. */
  name: JobName | 'giveUp';
  message: Message;
  /** Somebody waits for the work: its dead letters go to the job `giveUp`. Those of other jobs wait for the operator. */
  isAwaited?: true;
  /** The number of deliveries after which a message becomes a dead letter; 5 by default. */
  maxDeliveries?: number;
  /** Where calls are kept for a limited time, a message with only the job's name also starts the job once a day. */
  daily?: true;
  /** A message with only the job's name also starts the job at this interval. The local run sends it when it starts and every minute. */
  everyMinutes?: number;
  /** The maximum number of functions at once, where the work is mostly waiting. A deployment sets that of deliveries (`deliveryConcurrency`). */
  concurrency?: number;
  /** The maximum number of messages that a function handles side by side; 1 by default, since a job may use all of its function. */
  messagesAtOnce?: number;
  /** Also started by files created under this prefix of the bucket: the message is then S3's own event. */
  startedByFilesUnder?: string;
  /** Does idempotent work. If it throws, the message comes again, up to a last delivery: see `isAwaited`. */
  handle(message: z.infer<Message>, services: ServicesOf<S>, deadlines: JobDeadlines): Promise<void>;
};

/** Background work that is started by changes of the table, as its stream reports them. */
export type StreamJob<S extends Services> = Job<S> & {
  kind: 'stream';
  /** Does idempotent work for changes. From the one that it returns on, they are delivered again. */
  handle(
    records: DynamoDBRecord[],
    services: ServicesOf<S>,
    deadlines: JobDeadlines,
  ): Promise<DynamoDBRecord | undefined>;
};

// biome-ignore lint/suspicious/noExplicitAny: a job's types meet only inside it
export type AnyQueueJob = QueueJob<any, any>;
// biome-ignore lint/suspicious/noExplicitAny: a job's types meet only inside it
export type AnyJob = AnyQueueJob | StreamJob<any>;
export type QueueHandler = (event: SQSEvent) => Promise<SQSBatchResponse>;
export type StreamHandler = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;

/** The number of deliveries after which a message of most jobs becomes a dead letter. */
export const maxDeliveries = 5;

/** A message that has waited for so long when its job receives it is late. */
const lateSeconds = 3600;

export const jobDeliveries = (job: Pick<AnyQueueJob, 'maxDeliveries'>): number => job.maxDeliveries ?? maxDeliveries;

export const queueJob = <Message extends z.core.$ZodType, S extends Services>(
  definition: Omit<QueueJob<Message, S>, 'kind'>,
): QueueJob<Message, S> => ({ kind: 'queue', ...definition });

export const streamJob = <S extends Services>(definition: Omit<StreamJob<S>, 'kind'>): StreamJob<S> => ({
  kind: 'stream',
  ...definition,
});

/** Returns what a job's function may do on AWS. */
export const permissionsOfJob = ({ services }: AnyJob): Permission[] => permissionsOfServices(services);

/** Returns the Lambda handler of a job for an SQS queue. A message that fails is delivered again without its batch. */
export const queueWorker = (job: AnyQueueJob): QueueHandler => {
  const services = lazyServices(job.services);
  return async (event) => {
    const { until, endsAt } = setDeadlines(job);
    const failed: string[] = [];
    const handle = async (record: SQSRecord) => {
      const { messageId, body, attributes } = record;
      const started = performance.now();
      const waitedSeconds = Math.round((Date.now() - Number(attributes?.SentTimestamp)) / 1000);
      const isLast = Number(attributes?.ApproximateReceiveCount) >= jobDeliveries(job);
      const deadlines = { until, lastDeliveryEndsAt: isLast ? endsAt : undefined };
      const read = () => z.parse(job.message, JSON.parse(body));
      const cause: Cause = { maker: { via: 'job' }, requestId: readRequestId(body) };
      const failure = await attempt(cause, () => job.handle(read(), services, deadlines));
      if (failure) failed.push(messageId);
      if (failure && environment.isLambda) await retrySoon(record, isLast ? 0 : pauseSeconds);
      const trace = readTrace(cause.requestId ?? messageId);
      const [startedAt, endedAt] = [Date.now() - (performance.now() - started), Date.now()];
      const span = { trace, spanId: newSpanId(), kind: 'job' as const, name: job.name };
      reportSpan({ ...span, startedAt, endedAt, isFailed: failure !== undefined });
      log(failure ? 'error' : 'info', {
        requestId: cause.requestId,
        messageId,
        job: job.name,
        milliseconds: Math.round(performance.now() - started),
        // An alarm counts the lines that have it.
        waitedSeconds: waitedSeconds >= lateSeconds ? waitedSeconds : undefined,
        cause: failure && describeError(failure),
        givenUp: (failure && isLast) || undefined,
      });
    };
    await Promise.all(event.Records.map(handle));
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  };
};

/** Returns the deadlines of a job. The last fifth of its time is for finishing work that has begun. */
const setDeadlines = ({ timeoutSeconds }: AnyJob) => {
  const endsAt = Date.now() + timeoutSeconds * 1000;
  return { until: endsAt - timeoutSeconds * 200, endsAt };
};

/** Returns the id of the request that caused a message; undefined for a message that names none. */
const readRequestId = (body: string): string | undefined => {
  try {
    return z.parse(MessageCause, JSON.parse(body)).requestId;
  } catch {
    return undefined;
  }
};

const attempt = async (cause: Cause, work: () => Promise<void>): Promise<Error | undefined> => {
  try {
    await withCause(cause, work);
  } catch (error) {
    return error as Error;
  }
};

/** Returns the handler of a stream's job. A batch comes again from its first failure, in halves if this throws. */
export const streamWorker = <S extends Services>(job: StreamJob<S>): StreamHandler => {
  const services = lazyServices(job.services);
  return async ({ Records }) => {
    try {
      const failed = await job.handle(Records, services, setDeadlines(job));
      return { batchItemFailures: failed ? [{ itemIdentifier: toReference(failed).sequenceNumber }] : [] };
    } catch (error) {
      reportFailure(Records.map(toReference), error as Error);
      throw error;
    }
  };
};
