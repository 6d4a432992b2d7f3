import type { SQSRecord } from 'aws-lambda';
import { AwsRequests } from '../clients/aws-request.ts';
import { environment } from '../environment.ts';

/** The pause after the first delivery of a message. */
export const pauseSeconds = 30;
const timeoutMilliseconds = 2000;

/**
 * Shows a failed message again after a growing pause. Without it, the last failure is a dead letter at once. The
 * queue's visibility timeout is six times the function's timeout, as AWS recommends.
 */
export const retrySoon = async (
  { receiptHandle, eventSourceARN, attributes }: SQSRecord,
  pauseSeconds: number,
): Promise<void> => {
  const [, , , , account, queue] = eventSourceARN.split(':');
  const endpoint = environment.sqsEndpoint;
  const request = {
    QueueUrl: `${endpoint}/${account}/${queue}`,
    ReceiptHandle: receiptHandle,
    VisibilityTimeout: pauseSeconds * Number(attributes.ApproximateReceiveCount),
  };
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.ChangeMessageVisibility' };
  await new AwsRequests('sqs', environment.awsCredentials)
    .send(
      endpoint,
      { method: 'POST', headers, body: JSON.stringify(request) },
      AbortSignal.timeout(timeoutMilliseconds),
    )
    .catch(() => {});
};
