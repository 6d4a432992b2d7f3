import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, expect, it, vi } from 'vitest';
import { JobQueue } from '../../functions/clients/job-queue.ts';
import { finishUserDeletion } from '../../functions/jobs/finish-user-deletion.ts';
import { blockedNumberKey, userKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import '../support/quiet-logs.ts';
import { deliverMessage } from '../support/deliver-message.ts';
import { injectFaults, noFaults } from '../support/faults.ts';
import { call, newUser, unique } from '../support/world.ts';

afterEach(() => {
  noFaults();
  vi.useRealTimers();
});

it('the deletion of a user stops when the time of a run is over, and continues in another message until nothing is left', async () => {
  const { uid, apiKey } = await newUser();
  const numbers = Array.from({ length: 48 }, (_, index) => `+1415555${String(index).padStart(4, '0')}`);
  await call('POST', '/block-list', { apiKey, body: { uid, numbers } });
  await table.get().change(userKey(uid), { set: { deletingAt: 1 } });
  const countBlocked = async () =>
    (await table.get().getMany(numbers.map((phone) => blockedNumberKey({ uid }, phone)))).length;
  // No job works on this queue.
  const sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: unique('queue') }));
  const services = { ...finishUserDeletion.services, jobQueue: { get: () => new JobQueue(sqs, QueueUrl) } };

  // Each batch of deletions takes a fifth of the time of a run.
  const timeoutSeconds = 60;
  vi.useFakeTimers({ toFake: ['Date'] });
  injectFaults((operation): undefined => {
    if (operation.startsWith('BatchWrite')) vi.setSystemTime(Date.now() + (timeoutSeconds * 1000) / 5);
  });
  const left: number[] = [];
  for (let message: object | undefined = { job: 'finishUserDeletion', uid }; message; ) {
    left.push(await countBlocked());
    expect(await deliverMessage({ ...finishUserDeletion, services, timeoutSeconds }, message)).toBe(true);
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
    message = Messages[0]?.Body ? JSON.parse(Messages[0].Body) : undefined;
  }
  expect(left[0]).toBe(numbers.length);
  expect(left.length).toBeGreaterThan(2);
  expect(left).toEqual([...new Set(left)].sort((a, b) => b - a));
  expect(await countBlocked()).toBe(0);
  expect(await table.get().get(userKey(uid))).toBeUndefined();
});
