import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import { expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod/mini';
import { listen } from '../../bin/local/listen.ts';
import { JobQueue } from '../../functions/clients/job-queue.ts';
import { importFileKey } from '../../functions/domain/block-list-imports.ts';
import { jobMessages } from '../../functions/domain/job-messages.ts';
import { importBlockList } from '../../functions/jobs/import-block-list.ts';
import { maxDeliveries, queueJob, queueWorker, streamJob, streamWorker } from '../../functions/jobs/job.ts';
import { newWorld, useTargetInThisProcess } from '../support/world.ts';

it('a job logs the id of the request that caused its message, and passes it on to the messages that it sends', async () => {
  useTargetInThisProcess();
  const bodies: string[] = [];
  const sqs = await listen(
    createServer(async (request, response) => {
      bodies.push(JSON.parse(await text(request)).MessageBody);
      response.end('{}');
    }),
  );
  onTestFinished(() => sqs.stop().catch(() => {}));
  const queue = new JobQueue(new SQSClient({ endpoint: sqs.endpoint }), `${sqs.endpoint}/0/{job}`);
  const lines = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => lines.mockRestore());
  const handle = queueWorker(
    queueJob({
      name: 'countCalls',
      message: jobMessages.countCalls,
      services: {},
      timeoutSeconds: 1,
      handle: (message) => queue.send({ ...message, hasWaited: true }),
    }),
  );
  const message = { job: 'countCalls', uid: 'u', agentId: 'a', day: '2026-03-01' };
  for (const requestId of ['request-1', undefined]) {
    const record = { messageId: 'm', body: JSON.stringify({ ...message, requestId }), attributes: {} };
    await handle({ Records: [record] } as unknown as SQSEvent);
    expect(JSON.parse(bodies.pop() ?? '')).toEqual(
      JSON.parse(JSON.stringify({ ...message, hasWaited: true, requestId })),
    );
    expect(JSON.parse(String(lines.mock.lastCall?.[0])).requestId).toBe(requestId);
  }
});

it('a job that a notification of S3 starts logs the id of the request that made the form of the file', async () => {
  const world = await newWorld();
  useTargetInThisProcess();
  const { uid } = world;
  const form = await world.call('POST', '/block-list-imports', { body: { uid, size: 100 } });
  expect(form.status, form.text).toBe(200);
  const lines = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => lines.mockRestore());
  const key = importFileKey({ uid, importId: form.body.importId });
  const record = { messageId: 'm', body: JSON.stringify({ Records: [{ s3: { object: { key } } }] }), attributes: {} };
  await queueWorker(importBlockList)({ Records: [record] } as unknown as SQSEvent);
  expect(JSON.parse(String(lines.mock.lastCall?.[0]))).toMatchObject({
    job: 'importBlockList',
    requestId: form.headers.get('x-request-id'),
  });
});

it('a message that failed on Lambda is soon delivered again, becomes a dead letter at once after the last delivery, and fails even if SQS does not respond', async () => {
  useTargetInThisProcess();
  const requests: { target: unknown; body: object }[] = [];
  const sqs = await listen(
    createServer(async (request, response) => {
      requests.push({ target: request.headers['x-amz-target'], body: JSON.parse(await text(request)) });
      response.end('{}');
    }),
  );
  onTestFinished(() => sqs.stop().catch(() => {}));
  process.env.AWS_LAMBDA_FUNCTION_NAME = 'a-function';
  process.env.AWS_ENDPOINT_URL_SQS = sqs.endpoint;
  const handle = queueWorker(
    queueJob({
      name: 'expireCalls',
      message: z.object({}),
      services: {},
      timeoutSeconds: 1,
      handle: async () => {
        throw new Error('It fails.');
      },
    }),
  );
  const deliver = (delivery: number) => {
    const record = {
      messageId: 'm',
      body: '{}',
      receiptHandle: 'the-handle',
      attributes: { ApproximateReceiveCount: String(delivery) },
      eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:voice-agents-dev-expireCalls',
    };
    return handle({ Records: [record] } as unknown as SQSEvent);
  };
  const failed = { batchItemFailures: [{ itemIdentifier: 'm' }] };
  expect(await deliver(2)).toEqual(failed);
  const QueueUrl = `${sqs.endpoint}/123456789012/voice-agents-dev-expireCalls`;
  const change = {
    target: 'AmazonSQS.ChangeMessageVisibility',
    body: { QueueUrl, ReceiptHandle: 'the-handle', VisibilityTimeout: 60 },
  };
  expect(requests).toEqual([change]);
  expect(await deliver(maxDeliveries)).toEqual(failed);
  expect(requests).toEqual([change, { ...change, body: { ...change.body, VisibilityTimeout: 0 } }]);
  await sqs.stop();
  expect(await deliver(1)).toEqual(failed);
});

it('an error line of a batch that fails names the request, the item and the place in the stream of its first change', async () => {
  const lines = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => lines.mockRestore());
  const handle = streamWorker(
    streamJob({
      name: 'readChanges',
      services: {},
      timeoutSeconds: 1,
      handle: async () => {
        throw new Error('It fails.');
      },
    }),
  );
  const dynamodb = {
    Keys: { pk: { S: 'AGENT#agent-1#BLOCKED#3' }, sk: { S: '+14155550177' } },
    NewImage: { requestId: { S: 'request-1' }, reason: {} },
    SequenceNumber: '4421584500000000017450439091',
  };
  await expect(handle({ Records: [{ dynamodb }] } as unknown as DynamoDBStreamEvent)).rejects.toThrow('It fails.');
  const line = String(lines.mock.lastCall?.[0]);
  expect(JSON.parse(line)).toMatchObject({
    ...{ level: 'error', job: 'readChanges', requestId: 'request-1', changes: 1 },
    sequenceNumber: dynamodb.SequenceNumber,
    item: { kind: 'number', list: { agentId: 'agent-1' } },
  });
  expect(line).not.toContain('4155550177');
});
