import { expect, it } from 'vitest';
import { FairQueue } from '../../../bin/local/fair-queue.ts';

/** Records in which order work starts, and ends it on request. */
const recorder = () => {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () =>
    new Promise<void>((resolve) => {
      started.push(name);
      ends.set(name, resolve);
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { started, work, end };
};

it('the fair queue runs a user’s work at once, and keeps the last slot for other users', async () => {
  const { started, work, end } = recorder();
  const queue = new FairQueue(4);
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) queue.add('a', work(name));
  expect(started).toEqual(['a1', 'a2', 'a3']);
  queue.add('b', work('b1'));
  expect(started).toEqual(['a1', 'a2', 'a3', 'b1']);
  await end('b1');
  expect(started).toHaveLength(4);
  await end('a1');
  expect(started).toEqual(['a1', 'a2', 'a3', 'b1', 'a4']);
});

it('the fair queue gives a free slot to the user with the least work running, in turn', async () => {
  const { started, work, end } = recorder();
  const queue = new FairQueue(2);
  for (const name of ['a1', 'a2', 'a3']) queue.add('a', work(name));
  for (const name of ['b1', 'b2']) queue.add('b', work(name));
  for (const name of ['c1', 'c2']) queue.add('c', work(name));
  expect(started).toEqual(['a1', 'b1']);
  await end('a1');
  await end('b1');
  await end('c1');
  expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'b2']);
});

it('the fair queue leaves other users a quarter of many slots, behind any backlog', () => {
  const { started, work } = recorder();
  const queue = new FairQueue(40);
  for (let index = 0; index < 100; index++) queue.add('a', work(`a${index}`));
  expect(started).toHaveLength(30);
  for (let index = 0; index < 10; index++) queue.add(`b${index % 2}`, work(`b${index}`));
  expect(started.slice(30)).toEqual(['b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7']);
});

it('the fair queue continues after work that fails', async () => {
  const { started, work } = recorder();
  const queue = new FairQueue(1);
  queue.add('a', async () => {
    throw new Error('It fails.');
  });
  queue.add('b', work('b1'));
  await new Promise((resolve) => setTimeout(resolve));
  expect(started).toEqual(['b1']);
});
