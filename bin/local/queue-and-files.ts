import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { type FauxqsServer, type SpyMessage, startFauxqs } from 'fauxqs';
import { type JobHandler, maxDeliveries, worker } from '../../functions/jobs/job.ts';
import { jobs } from '../../functions/jobs.ts';
import type { Started } from './started.ts';

/** While a message is worked on nobody else gets it; one that failed comes again soon, so that nobody here waits for it. */
const visibilitySeconds = Math.max(...jobs.map(({ timeoutSeconds }) => timeoutSeconds));
const retrySeconds = 2;

/** A queue, and where it is asked for. */
type Queue = { endpoint: string; queueUrl: string };

/**
 * Starts the S3 and SQS emulator with a bucket. One queue takes all jobs here, where on AWS each job has a queue of its
 * own; `work` delivers its messages, and those of a queue that is given instead of it, to the job they name, and S3's
 * notifications of files to the one they start.
 */
export const startQueueAndFiles = async (options: {
  bucket: string;
  data?: string | undefined;
}): Promise<Started & { endpoint: string; queueUrl: string; work(given: Queue): void }> => {
  const server = await startFauxqs({
    port: 0,
    host: '127.0.0.1',
    logger: false,
    messageSpies: { bufferSize: spiedEvents },
    ...(options.data && { dataDir: options.data }),
  });
  const dead = server.createQueue('dead-letters');
  server.createQueue('jobs', {
    attributes: {
      VisibilityTimeout: String(visibilitySeconds),
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.queueArn, maxReceiveCount: maxDeliveries }),
    },
  });
  server.createBucket(options.bucket);
  const own = { endpoint: server.address, queueUrl: `${server.address}/000000000000/jobs` };
  const stopping = new AbortController();
  let working: Promise<unknown> = Promise.resolve();
  return {
    endpoint: server.address,
    queueUrl: own.queueUrl,
    work(given) {
      void notify(server, options.bucket, stopping.signal);
      const isOwn = given.endpoint === own.endpoint && given.queueUrl === own.queueUrl;
      const queues = isOwn ? [own] : [own, given];
      working = Promise.all(queues.map((queue) => poll(queue, stopping.signal)));
    },
    async stop() {
      stopping.abort();
      await Promise.race([working, sleep(1500)]);
      await server.stop();
    },
  };
};

/** How many events the emulator remembers; they are taken from it as they come. */
const spiedEvents = 10_000;

/** Tells the queue of each file that comes into the bucket, as S3 does on AWS. */
const notify = async (server: FauxqsServer, bucket: string, signal: AbortSignal): Promise<void> => {
  const isUpload = (event: SpyMessage) =>
    event.service === 's3' && event.bucket === bucket && ofUpload.has(event.status);
  while (!signal.aborted) {
    await server.spy.waitForMessage(isUpload);
    const events = server.spy.getAllMessages();
    server.spy.clear();
    for (const event of events) {
      if (!isUpload(event) || event.service !== 's3') continue;
      // S3 writes keys as a form does.
      const key = encodeURIComponent(event.key).replaceAll('%20', '+').replaceAll('%2F', '/');
      server.sendMessage('jobs', JSON.stringify({ Records: [{ s3: { bucket: { name: bucket }, object: { key } } }] }));
    }
  }
};

const ofUpload = new Set(['uploaded', 'copied']);

const handlers = new Map<string, JobHandler>(jobs.map((job) => [job.name, worker(job)]));

const poll = async ({ endpoint, queueUrl: QueueUrl }: Queue, abortSignal: AbortSignal): Promise<void> => {
  const client = new SQSClient({ endpoint });
  while (!abortSignal.aborted) {
    try {
      const command = new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 5,
        MessageSystemAttributeNames: ['All'],
      });
      const { Messages = [] } = await client.send(command, { abortSignal });
      for (const message of Messages) {
        deliver(client, QueueUrl, message).catch((error) => {
          if (!abortSignal.aborted) console.error(error);
        });
      }
    } catch (error) {
      if (!abortSignal.aborted) {
        console.error(error);
        await sleep(1000);
      }
    }
  }
};

/** Delivers one message to the job it names, and deletes it when the job says it is done. */
const deliver = async (client: SQSClient, QueueUrl: string, message: Message): Promise<void> => {
  const { Body: body = '', MessageId: messageId = '', ReceiptHandle, Attributes: attributes = {} } = message;
  const job = jobOf(body);
  const record = {
    messageId,
    body,
    receiptHandle: ReceiptHandle,
    attributes,
    messageAttributes: {},
    eventSource: 'aws:sqs',
  };
  const outcome = await (job && handlers.get(job.name))?.({ Records: [record] } as unknown as SQSEvent);
  const isDone = outcome?.batchItemFailures.length === 0;
  const handle = { QueueUrl, ReceiptHandle };
  if (isDone) await client.send(new DeleteMessageCommand(handle));
  else await client.send(new ChangeMessageVisibilityCommand({ ...handle, VisibilityTimeout: retrySeconds }));
};

/** The job that a message names, or that the file it tells of starts; none for a message that says neither. */
const jobOf = (body: string) => {
  try {
    const message = JSON.parse(body) as { job?: string; Records?: { s3: { object: { key: string } } }[] };
    const key = message.Records?.[0]?.s3.object.key;
    return jobs.find(({ name, startedByFilesUnder }) =>
      key === undefined ? name === message.job : startedByFilesUnder && key.startsWith(startedByFilesUnder),
    );
  } catch {
    // It is delivered until it is a dead letter.
  }
};
