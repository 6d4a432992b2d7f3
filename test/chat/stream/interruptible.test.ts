import { expect, it } from 'vitest';
import { interruptible } from '../../../functions/chat/stream/interruptible.ts';

async function* endless() {
  for (;;) yield 'part';
}
async function* hanging() {
  yield 'first';
  await new Promise(() => {});
}

it('an interruptible source passes on its parts and its failure', async () => {
  async function* source() {
    yield 'a';
    yield 'b';
    throw new Error('failed');
  }
  const parts: string[] = [];
  const reading = async () => {
    for await (const part of interruptible(async () => source(), new AbortController().signal)) parts.push(part);
  };
  await expect(reading()).rejects.toThrow('failed');
  expect(parts).toEqual(['a', 'b']);
});

it.each([
  ['that hangs between two parts', async () => hanging()],
  ['that hangs before it starts', () => new Promise<AsyncIterable<string>>(() => {})],
  ['that always has another part', async () => endless()],
])('an interruptible source throws the reason of an abort even if it is one %s', async (_, start) => {
  const abort = new AbortController();
  setTimeout(() => abort.abort(new Error('enough')), 30);
  const reading = async () => {
    for await (const _ of interruptible(start, abort.signal));
  };
  await expect(reading()).rejects.toThrow('enough');
});

it('an interruptible source takes no more than one part for each part that is asked for', async () => {
  let taken = 0;
  async function* source() {
    for (;;) yield ++taken;
  }
  const parts = interruptible(async () => source(), new AbortController().signal);
  await parts.next();
  await parts.next();
  expect(taken).toBe(2);
});
