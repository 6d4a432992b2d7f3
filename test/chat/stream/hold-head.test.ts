import type { UIMessageChunk } from 'ai';
import { expect, it, vi } from 'vitest';
import { Deadline } from '../../../functions/chat/stream/deadline.ts';
import { holdHead } from '../../../functions/chat/stream/hold-head.ts';
import { useFakeTimers } from '../../support/fake-timers.ts';

useFakeTimers();

const beginning: UIMessageChunk[] = [{ type: 'start' }, { type: 'start-step' }, { type: 'text-start', id: '0' }];
const content: UIMessageChunk = { type: 'text-delta', id: '0', delta: 'Hello' };

it('holding the head ends at the first content, takes nothing beyond it, and loses nothing', async () => {
  let taken = 0;
  async function* source() {
    for (const chunk of [...beginning, content, content]) {
      taken += 1;
      yield chunk;
    }
  }
  const chunks = await holdHead(source(), new Deadline(1_000));
  expect(taken).toBe(4);
  expect(await Array.fromAsync(chunks)).toEqual([...beginning, content, content]);
  expect(vi.getTimerCount()).toBe(0);
});

it('holding the head ends at the deadline, loses nothing, and passes a later failure on', async () => {
  async function* source() {
    yield* beginning;
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    yield content;
    throw new Error('later');
  }
  const holding = holdHead(source(), new Deadline(1_000));
  await vi.advanceTimersByTimeAsync(1_001);
  const chunks = await holding;
  const read: UIMessageChunk[] = [];
  const reading = (async () => {
    for await (const chunk of chunks) read.push(chunk);
  })();
  const failure = expect(reading).rejects.toThrow('later');
  await vi.advanceTimersByTimeAsync(5_000);
  await failure;
  expect(read).toEqual([...beginning, content]);
});

it('holding the head fails with a source that fails before its first content', async () => {
  async function* source() {
    yield* beginning;
    throw new Error('early');
  }
  await expect(holdHead(source(), new Deadline(1_000))).rejects.toThrow('early');
});
