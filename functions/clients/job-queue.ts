import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import pMap from 'p-map';
import { currentRequestId } from '../cause.ts';
import { chunks } from '../domain/chunks.ts';
import { type JobMessage, type JobName, messageGroup } from '../domain/job-messages.ts';
import { rescueDelaySeconds } from '../domain/timeouts.ts';
import { environment } from '../environment.ts';
import { type Service, wholeService } from '../service.ts';

/** Sends messages to jobs. A message is delivered at least once, possibly late, so handling it must be idempotent. */
export class JobQueue {
  readonly #client: SQSClient;
  readonly #url: string;

  constructor(client: SQSClient, url: string) {
    this.#client = client;
    this.#url = url;
  }

  /** Sends a job, after a delay of at most 900 seconds: one that is due later is sent again. SQS delivers a backlogged group, of a user or a receiver, after others. */
  async send(message: JobMessage, delaySeconds = 0): Promise<void> {
    const command = new SendMessageCommand({
      QueueUrl: this.#url.replace('{job}', message.job),
      MessageBody: toBody(message),
      MessageGroupId: messageGroup(message),
      DelaySeconds: Math.min(delaySeconds, maxDelaySeconds),
    });
    await this.#client.send(command, { abortSignal: AbortSignal.timeout(timeoutMilliseconds) });
  }

  /** Sends messages of one job, ten in a request. Throws when some were not sent: all may be sent again. */
  async sendMany(messages: JobMessage[]): Promise<void> {
    await pMap(chunks(messages, messagesPerBatch), (batch) => this.#sendBatch(batch), { concurrency: batchesInFlight });
  }

  async #sendBatch(batch: JobMessage[]): Promise<void> {
    const [{ job }] = batch as [JobMessage];
    const command = new SendMessageBatchCommand({
      QueueUrl: this.#url.replace('{job}', job),
      Entries: batch.map((message, index) => ({
        Id: String(index),
        MessageBody: toBody(message),
        MessageGroupId: messageGroup(message),
      })),
    });
    const { Failed = [] } = await this.#client.send(command, { abortSignal: AbortSignal.timeout(timeoutMilliseconds) });
    const [failed] = Failed;
    if (!failed) return;
    const error = new Error(`SQS did not take ${Failed.length} messages: ${failed.Code}.`);
    throw Object.assign(error, { $fault: failed.SenderFault ? 'client' : 'server' });
  }
}

/** Returns the body of a message, with the id of the request that caused it. */
const toBody = (message: JobMessage): string => JSON.stringify({ requestId: currentRequestId(), ...message });

/** Returns the delay of a message that is due at a time (Unix milliseconds). */
export const secondsUntil = (dueAt: number): number => Math.max(0, Math.ceil((dueAt - Date.now()) / 1000));

/** SQS's maximum. A longer invisible wait would count against the queue's limit. */
const maxDelaySeconds = 900;
const timeoutMilliseconds = 5000;
const batchesInFlight = 8;
const messagesPerBatch = 10;

const queue = /* @__PURE__ */ wholeService(() => {
  const requestHandler = { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true };
  // Calls go to the client's own endpoint. A queue's address only names the queue.
  const client = new SQSClient({ maxAttempts: 3, requestHandler, useQueueUrlAsEndpoint: false });
  return new JobQueue(client, environment.jobsQueueUrl);
});

type Sender<Name extends JobName> = { send(message: JobMessage<Name>, delaySeconds?: number): Promise<void> };
type BulkSender<Name extends JobName> = { sendMany(messages: JobMessage<Name>[]): Promise<void> };

/**
 * Does what begins a job, and sends the job's message. Before that it sends a delayed one, which starts the job if this function
 * dies: `rescue`, if the job must tell the two apart.
 */
export const beginJob = async <Name extends JobName, Begun>(
  jobQueue: Sender<Name>,
  message: JobMessage<Name>,
  begin: () => Promise<Begun>,
  rescue = message,
): Promise<Begun> => {
  await jobQueue.send(rescue, rescueDelaySeconds);
  const begun = await begin();
  // It has begun. If this message is not sent, the one before it does the work.
  await jobQueue.send(message).catch(() => {});
  return begun;
};

/** Returns the queue for senders of only these jobs. */
export const queueSender = <Name extends JobName>(...jobs: Name[]): Service<Sender<Name>> => ({
  get: queue.get as unknown as () => Sender<Name>,
  permissions: jobs.map((job) => `sqs:SendMessage:${job}` as const),
});

/** Returns the queue for senders of many messages at once. */
export const bulkSender = <Name extends JobName>(job: Name): Service<BulkSender<Name>> => ({
  get: queue.get as unknown as () => BulkSender<Name>,
  permissions: [`sqs:SendMessage:${job}`],
});
