import { afterAll, expect, it, vi } from 'vitest';
import { limits, misbehave } from '../support/misbehaving-worker.ts';

afterAll(() => misbehave.close());

it('a sandboxed worker answers each input with its own result, in order', async () => {
  expect(await Promise.all(['a', 'b', 'c'].map((input) => misbehave.run(input)))).toEqual(['A', 'B', 'C']);
});

it.each([
  ['hoard', 'memory'],
  ['exit', 'crash'],
])('a sandboxed worker that would %s is aborted for %s, and the next input is handled', async (how, reason) => {
  const [failed, next] = await Promise.allSettled([misbehave.run(how), misbehave.run('next')]);
  expect(failed).toMatchObject({ status: 'rejected', reason: { name: 'WorkerAbortedError', reason } });
  expect(next).toEqual({ status: 'fulfilled', value: 'NEXT' });
});

it('a sandboxed worker that would spin is aborted when its time is over, and the next input is handled', {
  timeout: 20_000,
}, async () => {
  const { timeoutSeconds } = limits;
  limits.timeoutSeconds = 0.5;
  await expect(misbehave.run('spin')).rejects.toMatchObject({ name: 'WorkerAbortedError', reason: 'time' });
  limits.timeoutSeconds = timeoutSeconds;
  expect(await misbehave.run('next')).toBe('NEXT');
});

it('a sandboxed worker is aborted when its input has taken more CPU time than it may', {
  timeout: 20_000,
}, async () => {
  limits.cpuSeconds = () => 0.5;
  await expect(misbehave.run('spin')).rejects.toMatchObject({ name: 'WorkerAbortedError', reason: 'CPU time' });
  limits.cpuSeconds = undefined;
  expect(await misbehave.run('next')).toBe('NEXT');
});

it('a sandboxed worker has no environment, where the secrets are', async () => {
  vi.stubEnv('STRIPE_SECRET_KEY', 'sk_test_secret');
  await misbehave.close();
  expect(await misbehave.run('environment')).toBe('{}');
  vi.unstubAllEnvs();
});

it('a sandboxed worker passes on an error with its name and message', async () => {
  await expect(misbehave.run('throw')).rejects.toMatchObject({
    name: 'TypeError',
    message: 'This is not to its liking.',
  });
  await expect(misbehave.run('recurse')).rejects.toMatchObject({ name: 'RangeError' });
});
