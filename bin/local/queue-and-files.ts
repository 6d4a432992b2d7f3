import { subscribe } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { type FauxqsServer, startFauxqs } from 'fauxqs';
import { messageGroup } from '../../functions/domain/job-messages.ts';
import { limits } from '../../functions/domain/limits.ts';
import { environment } from '../../functions/environment.ts';
import { giveUp } from '../../functions/jobs/give-up.ts';
import { maxDeliveries, type QueueHandler, queueWorker } from '../../functions/jobs/job.ts';
import { listClockJobs, queueJobs } from '../../functions/jobs.ts';
import type { Reading } from './change-reader.ts';
import type { Credentials } from './data-folder.ts';
import type { Disk } from './disk.ts';
import { makeQueuesFair } from './fair-messages.ts';
import { FairQueue } from './fair-queue.ts';
import { isLoopback } from './listen.ts';
import type { Started } from './started.ts';

/** The time for which a received message stays invisible while it waits for its turn: SQS's maximum. */
const visibilitySeconds = 12 * 60 * 60;
/** The concurrency of each job, and of one that is mostly waiting. On AWS, each job has its own queue, too. */
const concurrency = 4;
const maxConcurrency = 20;

/** The pause after messages of busy groups, for each message of such a group that already waits for its job. */
const pausePerWaitingMessage = 10;
const maxPauseMilliseconds = 100;

/** A queue, and the endpoint that serves it. */
type Queue = { endpoint: string; queueUrl: string };

/**
 * Starts the S3 and SQS emulator with a bucket and one queue for all jobs. `work` delivers messages to the jobs that they name,
 * and S3's notifications to the job that files start. It also reads a given queue. `startByClock` sends the messages of jobs that
 * the clock starts.
 */
export const startQueueAndFiles = async (options: {
  bucket: string;
  data?: string;
  credentials: Credentials;
}): Promise<
  Started & Queue & { work(given: Queue, disk: Pick<Disk, 'isFull'>, reading?: Reading): void; startByClock(): void }
> => {
  // The messages that an upload starts are in the queue before it is answered, so that a kill loses none.
  adaptEmulator(options.credentials, () => notify(server, options.bucket));
  await makeQueuesFair((body) => messageGroup(readDestination(body)) ?? '');
  const server = await startFauxqs({
    port: 0,
    host: '127.0.0.1',
    logger: false,
    messageSpies: { bufferSize: spiedEvents },
    dataDir: options.data,
  });
  // Creating a queue of an earlier run again would delete its messages.
  if (!server.inspectQueue('jobs')) {
    const dead = server.createQueue('dead-letters');
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.queueArn, maxReceiveCount: maxDeliveries });
    server.createQueue('jobs', { attributes: { RedrivePolicy } });
  } else sendDeadLettersAgain(server);
  server.createBucket(options.bucket);
  const endpoint = `http://127.0.0.1:${server.port}`;
  const jobs = { endpoint, queueUrl: `${endpoint}/000000000000/jobs` };
  const deadLetters = { endpoint, queueUrl: `${endpoint}/000000000000/dead-letters` };
  const workers: QueueWorker[] = [];
  const stopping = new AbortController();
  return {
    ...jobs,
    work(given, disk, reading = { isBehind: false }) {
      const own = new QueueWorker(jobs, reading);
      workers.push(own, new QueueWorker(deadLetters, reading, deadLetterHandlers));
      if (given.endpoint !== endpoint || given.queueUrl !== jobs.queueUrl)
        workers.push(new QueueWorker(given, reading));
      void own.giveBack(messagesOfKilledRun(server));
      // Polling reports its errors and goes on.
      for (const worker of workers) void worker.poll(disk, stopping.signal);
    },
    startByClock: () => startByClock(server, stopping.signal),
    async stop() {
      stopping.abort();
      await Promise.race([Promise.allSettled(workers.map((worker) => worker.giveBack())), sleep(1000)]);
      await server.stop();
    },
  };
};

/** The maximum size of an upload: the largest file, and the form around it. */
const uploadBytes = limits.importBytes + 64 * 1024;

/**
 * Makes the emulator listen only on loopback and accept large files. It rejects requests for other hosts, and those without the
 * run's credentials. The emulator has no options for this. Other users of the machine can reach loopback, too.
 */
const adaptEmulator = (credentials: Credentials, beforeResponse: () => void) =>
  subscribe('fastify.initialization', (message) => {
    const { fastify } = message as { fastify: ReturnType<typeof import('fauxqs').buildApp> };
    const listen = fastify.listen.bind(fastify) as (options: object) => Promise<string>;
    fastify.listen = ((options: object) => listen({ ...options, host: '127.0.0.1' })) as typeof fastify.listen;
    fastify.addHook('onRoute', (route) => {
      route.bodyLimit = uploadBytes;
    });
    fastify.addHook('onRequest', async (request, reply) => {
      if (!isLoopback(request.hostname)) return reply.code(403).send();
      const { origin } = request.headers;
      if (!origin || !mayUpload(origin)) return;
      reply.headers({ 'access-control-allow-origin': origin, vary: 'origin' });
      const allowed = { 'access-control-allow-methods': 'GET, POST', 'access-control-allow-headers': 'content-type' };
      if (request.method === 'OPTIONS') return reply.code(204).headers(allowed).send();
    });
    fastify.addHook('onSend', async () => beforeResponse());
    fastify.addHook('preHandler', async (request, reply) => {
      if (request.method !== 'OPTIONS' && !hasCredentials(request, credentials)) await reply.code(403).send();
    });
  });

/** Allows pages of the application and of the run itself to send forms, as the CORS settings of the bucket do. */
const mayUpload = (origin: string) =>
  environment.appOrigins.includes(origin) || isLoopback(URL.parse(origin)?.hostname ?? '');

/** The number of events that the emulator keeps. They are removed as they are handled. */
const spiedEvents = 10_000;

/** Sends a notification for each new file in the bucket, as S3 does on AWS. The emulator has two events for a form or a copy. */
const notify = (server: FauxqsServer, bucket: string): void => {
  const events = server.spy.getAllMessages();
  server.spy.clear();
  const uploads = events.flatMap((event) =>
    event.service === 's3' && event.bucket === bucket && event.status === 'uploaded' ? event.key : [],
  );
  for (const upload of new Set(uploads)) {
    if (!startsJob(upload)) continue;
    // S3 encodes keys like form fields.
    const key = encodeURIComponent(upload).replaceAll('%20', '+').replaceAll('%2F', '/');
    server.sendMessage('jobs', JSON.stringify({ Records: [{ s3: { bucket: { name: bucket }, object: { key } } }] }));
  }
};

/** Returns the messages that a killed run had received, by their receipt handles. */
const messagesOfKilledRun = (server: FauxqsServer): Map<string, string> => {
  const inFlight = server.inspectQueue('jobs')?.messages.inflight ?? [];
  return new Map(inFlight.map(({ receiptHandle, message }) => [receiptHandle, message.body]));
};

/** Sends the dead letters of earlier runs as new messages: what they failed for may be over. */
const sendDeadLettersAgain = (server: FauxqsServer): void => {
  const { ready = [], delayed = [], inflight = [] } = server.inspectQueue('dead-letters')?.messages ?? {};
  for (const { body } of [...ready, ...delayed, ...inflight.map(({ message }) => message)])
    server.sendMessage('jobs', body);
  server.deleteQueue('dead-letters');
  server.createQueue('dead-letters');
};

/** Sends the messages of jobs that the clock starts: now, and once a day or a minute. */
const startByClock = (server: FauxqsServer, signal: AbortSignal) => {
  for (const { name, minutes } of listClockJobs(environment.callRetentionDays)) {
    const send = () => server.sendMessage('jobs', JSON.stringify({ job: name }));
    send();
    // The effect of a job that runs often on AWS is seen soon.
    const timer = setInterval(send, (minutes <= 60 ? 1 : minutes) * 60_000).unref();
    signal.addEventListener('abort', () => clearInterval(timer));
  }
};

/** The access key id is random: a request that names it, in a header, a link or the fields of a form, comes from this run. */
const hasCredentials = (
  { headers, url, body }: { headers: { authorization?: string }; url: string; body: unknown },
  { accessKeyId }: Credentials,
) =>
  headers.authorization?.includes(accessKeyId) ||
  url.includes(accessKeyId) ||
  (body instanceof Uint8Array && Buffer.from(body.buffer, body.byteOffset, body.length).includes(accessKeyId));

/** The service itself writes other files, such as the records of parked changes. */
const startsJob = (key: string) =>
  queueJobs.some(({ startedByFilesUnder: folder }) => folder !== undefined && key.startsWith(folder));

const handlers: Handlers = new Map(queueJobs.map((job) => [job.name, queueWorker(job)]));
/** The dead letters of other jobs wait for the next run. */
const deadLetterHandlers: Handlers = new Map(
  queueJobs.filter(({ isAwaited }) => isAwaited).map(({ name }) => [name, queueWorker(giveUp)]),
);
type Handlers = ReadonlyMap<string, QueueHandler>;

/** Delivers the messages of a queue to their jobs. Each job serves users fairly. */
class QueueWorker {
  readonly queue: Queue;
  readonly #client: SQSClient;
  readonly #handlers: Handlers;
  readonly #fair: ReadonlyMap<string, FairQueue>;
  /** Messages that were received and not completed, by their receipt handles. */
  readonly #held = new Map<string, string>();
  /** The number of messages of each group that wait for their turn. */
  readonly #waiting = new Map<string, number>();

  constructor(queue: Queue, reading: Reading, jobHandlers = handlers) {
    this.queue = queue;
    const newQueue = (job: (typeof queueJobs)[number]) =>
      new FairQueue(Math.min(job.concurrency ?? concurrency, maxConcurrency), () => reading.isBehind);
    this.#fair = new Map(queueJobs.map((job) => [job.name, newQueue(job)]));
    this.#handlers = jobHandlers;
    this.#client = new SQSClient({ endpoint: queue.endpoint });
  }

  /** Receives messages as they arrive, except while the disk is full. */
  async poll(disk: Pick<Disk, 'isFull'>, abortSignal: AbortSignal): Promise<void> {
    while (!abortSignal.aborted) {
      try {
        if (disk.isFull) {
          await sleep(1000, undefined, { signal: abortSignal });
          continue;
        }
        const command = new ReceiveMessageCommand({
          QueueUrl: this.queue.queueUrl,
          MaxNumberOfMessages: 10,
          WaitTimeSeconds: 5,
          VisibilityTimeout: visibilitySeconds,
          MessageSystemAttributeNames: ['All'],
        });
        const { Messages = [] } = await this.#client.send(command, { abortSignal });
        const waiting = await Promise.all(Messages.map((message) => this.#take(message, abortSignal)));
        // The queue hands out the messages of busy groups last. Many of them wait there, not here.
        const pause = Math.min(pausePerWaitingMessage * (Math.min(...waiting) - 1), maxPauseMilliseconds);
        if (Messages.length > 0 && pause > 0) await sleep(pause, undefined, { signal: abortSignal });
      } catch (error) {
        if (!abortSignal.aborted) {
          console.error(error);
          await sleep(1000);
        }
      }
    }
  }

  /** Sends uncompleted messages again, as if they had not been received: a delivery that a run did not end is no attempt. */
  async giveBack(received: ReadonlyMap<string, string> = this.#held): Promise<void> {
    await Promise.allSettled(
      [...received].map(async ([handle, MessageBody]) => {
        await this.#client.send(new SendMessageCommand({ QueueUrl: this.queue.queueUrl, MessageBody }));
        await this.#delete(handle);
      }),
    );
  }

  /** Passes a message to the queue of its job, and returns how many messages of its group wait there. */
  async #take(message: Message, signal: AbortSignal): Promise<number> {
    const { Body = '', MessageId = '', ReceiptHandle = '' } = message;
    this.#held.set(ReceiptHandle, Body);
    const { job = '', ...about } = readDestination(Body);
    const fair = this.#fair.get(job);
    const handler = this.#handlers.get(job);
    if (!fair || !handler) {
      await this.#retry(message);
      return 0;
    }
    // The emulator keeps no message groups. As in SQS, a message without one is a group of its own.
    const group = messageGroup(about) ?? MessageId;
    const count = (change: number) => {
      const waiting = (this.#waiting.get(group) ?? 0) + change;
      if (waiting === 0) this.#waiting.delete(group);
      else this.#waiting.set(group, waiting);
      return waiting;
    };
    count(1);
    fair.add(group, async () => {
      count(-1);
      if (signal.aborted) return;
      try {
        await this.#deliver(message, handler);
      } catch (error) {
        if (!signal.aborted) console.error(error);
      }
    });
    return this.#waiting.get(group) ?? 0;
  }

  /** Passes a message to its job, and deletes it when the job has completed it. */
  async #deliver(message: Message, handler: QueueHandler): Promise<void> {
    const { Body: body = '', MessageId: messageId = '', ReceiptHandle: handle = '', Attributes = {} } = message;
    const record = {
      messageId,
      body,
      receiptHandle: handle,
      attributes: Attributes,
      messageAttributes: {},
      eventSource: 'aws:sqs',
    };
    const outcome = await handler({ Records: [record] } as unknown as SQSEvent);
    if (outcome.batchItemFailures.length === 0) await this.#delete(handle);
    else await this.#retry(message);
  }

  async #delete(ReceiptHandle: string): Promise<void> {
    this.#held.delete(ReceiptHandle);
    await this.#client.send(new DeleteMessageCommand({ QueueUrl: this.queue.queueUrl, ReceiptHandle }));
  }

  /**
   * Delivers a message again after 2, 4, 8 and 16 seconds: a database may be slow for half a minute after a start. After the last
   * delivery it becomes a dead letter.
   */
  async #retry({ ReceiptHandle = '', Attributes = {} }: Message): Promise<void> {
    this.#held.delete(ReceiptHandle);
    const count = Number(Attributes.ApproximateReceiveCount);
    const VisibilityTimeout = count === maxDeliveries ? 1 : Math.min(2 ** count, visibilitySeconds);
    const { queueUrl: QueueUrl } = this.queue;
    await this.#client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
  }
}

type Notification = { Records: { s3: { object: { key: string } } }[] };

/** Returns the job that a message names, or that a file starts, with the fields that determine its group. */
const readDestination = (body: string): { job?: string } & Parameters<typeof messageGroup>[0] => {
  try {
    const message = JSON.parse(body) as { job?: string; uid?: string; endpointId?: string } & Partial<Notification>;
    const key = message.Records?.[0]?.s3.object.key;
    if (key === undefined) return message;
    return {
      job: queueJobs.find(({ startedByFilesUnder }) => startedByFilesUnder && key.startsWith(startedByFilesUnder))
        ?.name,
    };
  } catch {
    // It is delivered until it becomes a dead letter.
    return {};
  }
};
