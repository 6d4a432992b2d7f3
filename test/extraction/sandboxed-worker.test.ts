import { afterAll, describe, expect, it } from 'vitest';
import { misbehave } from '../support/confined-work.ts';

afterAll(() => misbehave.close());

describe('confined work', () => {
  it('answers each input with its own result, in order', async () => {
    expect(await Promise.all(['a', 'b', 'c'].map((input) => misbehave.run(input)))).toEqual(['A', 'B', 'C']);
  });

  it.each([
    ['spin', 'time'],
    ['hoard', 'memory'],
    ['exit', 'crash'],
  ])('that would %s is given up for %s, and the next input is served', async (how, reason) => {
    const [failed, next] = await Promise.allSettled([misbehave.run(how), misbehave.run('next')]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { name: 'GivenUp', reason } });
    expect(next).toEqual({ status: 'fulfilled', value: 'NEXT' });
  });

  it('hands on what it throws, by name and message', async () => {
    await expect(misbehave.run('throw')).rejects.toMatchObject({
      name: 'TypeError',
      message: 'This is not to its liking.',
    });
    await expect(misbehave.run('recurse')).rejects.toMatchObject({ name: 'RangeError' });
  });
});
