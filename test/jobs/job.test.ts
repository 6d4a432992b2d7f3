import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { SQSEvent } from 'aws-lambda';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { listen } from '../../bin/local/listen.ts';
import { maxDeliveries, queueJob, queueWorker } from '../../functions/jobs/job.ts';
import { useTargetInThisProcess } from '../support/world.ts';

it('a message that failed on Lambda is soon delivered again, except after the last delivery, and fails even if SQS does not respond', async () => {
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
  expect(requests).toEqual([change]);
  await sqs.stop();
  expect(await deliver(1)).toEqual(failed);
});
