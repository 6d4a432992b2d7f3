import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteMessageCommand, type Message, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { startFauxqs } from 'fauxqs';
import { type JobHandler, worker } from '../../functions/jobs/job.ts';
import { jobs } from '../../functions/jobs.ts';
import type { Started } from './started.ts';

/** How often a message is delivered before it is a dead letter, as on AWS. */
const mostDeliveries = 3;
const visibilitySeconds = 60;

/**
 * Starts the S3 and SQS emulator. One queue takes all jobs here, where on AWS each job has a queue of its own;
 * `work` delivers its messages to the job they name.
 */
export const startQueueAndFiles = async (options: {
  data?: string | undefined;
}): Promise<Started & { endpoint: string; queueUrl: string; work(queueUrl: string): void }> => {
  const server = await startFauxqs({
    port: 0,
    host: '127.0.0.1',
    logger: false,
    ...(options.data && { dataDir: options.data }),
  });
  const dead = server.createQueue('dead-letters');
  server.createQueue('jobs', {
    attributes: {
      VisibilityTimeout: String(visibilitySeconds),
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.queueArn, maxReceiveCount: mostDeliveries }),
    },
  });
  const stopping = new AbortController();
  let working: Promise<void> = Promise.resolve();
  return {
    endpoint: server.address,
    queueUrl: `${server.address}/000000000000/jobs`,
    work(url) {
      working = poll(new SQSClient({ endpoint: server.address }), url, stopping.signal);
    },
    async stop() {
      stopping.abort();
      await Promise.race([working, sleep(1500)]);
      await server.stop();
    },
  };
};

const handlers = new Map<string, JobHandler>(jobs.map((job) => [job.name, worker(job)]));

const poll = async (client: SQSClient, QueueUrl: string, abortSignal: AbortSignal): Promise<void> => {
  while (!abortSignal.aborted) {
    try {
      const command = new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 5,
        MessageSystemAttributeNames: ['All'],
      });
      const { Messages = [] } = await client.send(command, { abortSignal });
      for (const message of Messages) void deliver(client, QueueUrl, message);
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
  const name = (JSON.parse(body) as { job?: string }).job ?? '';
  const record = {
    messageId,
    body,
    receiptHandle: ReceiptHandle,
    attributes,
    messageAttributes: {},
    eventSource: 'aws:sqs',
  };
  const outcome = await handlers.get(name)?.({ Records: [record] } as unknown as SQSEvent);
  if (outcome?.batchItemFailures.length === 0) await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
};
