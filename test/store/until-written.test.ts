import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { expect, it, vi } from 'vitest';
import { untilWritten } from '../../functions/store/table.ts';

it('a write that other writers prevent again and again fails as overloaded, since nothing was written', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  let attempts = 0;
  const writing = untilWritten(async () => {
    attempts += 1;
    throw new ConditionalCheckFailedException({ $metadata: {}, message: 'injected' });
  });
  await expect(writing).rejects.toMatchObject({ code: 'overloaded', status: 503, retryAfterSeconds: 1 });
  expect(attempts).toBe(13);
});
