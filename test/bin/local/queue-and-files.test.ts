import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { startQueueAndFiles } from '../../../bin/local/queue-and-files.ts';
import { until } from '../../support/until.ts';

const credentials = { accessKeyId: 'LOCALQUEUE', secretAccessKey: 'secret' };

/** Starts the emulator on a folder. Stopping it before it works is like a kill: it gives no message back. */
const startOn = async (data: string) => {
  process.env.AWS_ACCESS_KEY_ID = credentials.accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = credentials.secretAccessKey;
  process.env.AWS_REGION = 'us-east-1';
  const emulator = await startQueueAndFiles({ bucket: 'files', data, credentials });
  const sqs = new SQSClient({ endpoint: emulator.endpoint });
  const countMessages = async (queue: string) => {
    const QueueUrl = emulator.queueUrl.replace(/jobs$/, queue);
    const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
    return Number(Attributes.ApproximateNumberOfMessages) + Number(Attributes.ApproximateNumberOfMessagesNotVisible);
  };
  return { emulator, sqs, countMessages };
};

it('a message that killed runs had received any number of times is delivered by the next run', async () => {
  const data = mkdtempSync(join(tmpdir(), 'queue-'));
  const killed = await startOn(data);
  const { queueUrl: QueueUrl } = killed.emulator;
  // The job completes it at once, because the file is no import's.
  const MessageBody = JSON.stringify({ Records: [{ s3: { object: { key: 'block-list-imports/none' } } }] });
  await killed.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  for (const VisibilityTimeout of [0, 0, 0, 0, 3600]) {
    const { Messages } = await killed.sqs.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout }));
    expect(Messages).toHaveLength(1);
  }
  await killed.emulator.stop();
  const next = await startOn(data);
  next.emulator.work(next.emulator, { isFull: false });
  await until(async () => (await next.countMessages('jobs')) === 0);
  expect(await next.countMessages('dead-letters')).toBe(0);
  await next.emulator.stop();
});

it('a message that became a dead letter in an earlier run is delivered again', async () => {
  const data = mkdtempSync(join(tmpdir(), 'queue-'));
  const earlier = await startOn(data);
  const QueueUrl = earlier.emulator.queueUrl.replace(/jobs$/, 'dead-letters');
  const MessageBody = JSON.stringify({ Records: [{ s3: { object: { key: 'block-list-imports/none' } } }] });
  await earlier.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  await earlier.emulator.stop();
  const next = await startOn(data);
  expect([await next.countMessages('jobs'), await next.countMessages('dead-letters')]).toEqual([1, 0]);
  await next.emulator.stop();
});

it('a dead letter of a job that somebody waits for is given up at once', async () => {
  const { emulator, sqs, countMessages } = await startOn(mkdtempSync(join(tmpdir(), 'queue-')));
  const QueueUrl = emulator.queueUrl.replace(/jobs$/, 'dead-letters');
  // Given up, the notification of no file needs nothing.
  const MessageBody = JSON.stringify({ Records: [{ s3: { object: { key: 'block-list-imports/none' } } }] });
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  emulator.work(emulator, { isFull: false });
  await until(async () => (await countMessages('dead-letters')) === 0);
  await emulator.stop();
});

const authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/`;
const form = new FormData();
form.append('key', 'documents/one');
form.append('x-amz-credential', credentials.accessKeyId);
form.append('file', new Blob(['1']), 'one');
it.each([
  ['an upload', 'PUT', 'documents/one', { headers: { authorization }, body: '1' }],
  ['an upload by a form', 'POST', '', { body: form }],
  ['a copy', 'PUT', 'documents/two', { headers: { authorization, 'x-amz-copy-source': 'files/other/one' } }],
])('the message that %s starts is in the queue once, when it is answered', async (_, method, key, request) => {
  const { emulator, countMessages } = await startOn(mkdtempSync(join(tmpdir(), 'queue-')));
  const files = `${emulator.endpoint}/files`;
  await fetch(`${files}/other/one`, { method: 'PUT', headers: { authorization }, body: '1' });
  const { ok } = await fetch(`${files}/${key}`, { method, ...request });
  expect([ok, await countMessages('jobs')]).toEqual([true, 1]);
  await emulator.stop();
});
