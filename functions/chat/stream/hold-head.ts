import type { UIMessageChunk } from 'ai';
import { type Deadline, expired } from './deadline.ts';

/** Resolves at the first content or the deadline: an earlier failure becomes an error response. */
export const holdHead = async (
  chunks: AsyncGenerator<UIMessageChunk>,
  deadline: Deadline,
): Promise<AsyncGenerator<UIMessageChunk>> => {
  const held: UIMessageChunk[] = [];
  for (;;) {
    const next = chunks.next();
    const result = await deadline.wait(next);
    if (result === expired) return resume(held, next, chunks);
    if (result.done) return resume(held, undefined, chunks);
    held.push(result.value);
    if (!beginnings.has(result.value.type)) return resume(held, undefined, chunks);
  }
};

async function* resume(
  held: UIMessageChunk[],
  pending: Promise<IteratorResult<UIMessageChunk>> | undefined,
  rest: AsyncGenerator<UIMessageChunk>,
): AsyncGenerator<UIMessageChunk> {
  yield* held;
  const result = await pending;
  if (result?.done) return;
  if (result) yield result.value;
  yield* rest;
}

/** The chunks that come before any content: an answer that has only these can still become an error response. */
const beginnings = new Set<UIMessageChunk['type']>(['start', 'start-step', 'text-start', 'text-end', 'finish-step']);
