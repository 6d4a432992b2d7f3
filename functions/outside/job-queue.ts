import type { SendMessageRequest, SendMessageResult } from '@aws-sdk/client-sqs';
import { AwsService } from '../aws.ts';
import { environment } from '../environment.ts';
import { service } from '../service.ts';

/** Background work, by the name of the job that does it. */
export type JobMessage = { job: 'finishDuplication'; agentId: string };

type Sqs = AwsService<{ SendMessage: [SendMessageRequest, SendMessageResult] }>;

/** Where background work is sent. A message is delivered at least once, maybe late: every job can be done twice. */
export class JobQueue {
  readonly #client: Sqs;
  readonly #url: string;

  constructor(client: Sqs, url: string) {
    this.#client = client;
    this.#url = url;
  }

  /** Sends a job, to be delivered after a delay of at most 900 seconds. */
  async send(message: JobMessage, delaySeconds = 0): Promise<void> {
    const input = {
      QueueUrl: this.#url.replace('{job}', message.job),
      MessageBody: JSON.stringify(message),
      DelaySeconds: delaySeconds,
    };
    await this.#client.call('SendMessage', input, { abortSignal: AbortSignal.timeout(5000) });
  }
}

export const jobQueue = service(
  () => new JobQueue(new AwsService('sqs', 'AmazonSQS', environment.sqs), environment.jobsQueueUrl),
);
