import type { UIMessageChunk } from 'ai';

/** Converts the parts of a model's answer into chunks for the client. An answer that does not finish is an error. */
export async function* translate<Part>(
  parts: AsyncIterable<Part>,
  toChunk: (part: Part) => UIMessageChunk | undefined,
): AsyncGenerator<UIMessageChunk> {
  let isFinished = false;
  for await (const part of parts) {
    const chunk = toChunk(part);
    if (!chunk) continue;
    if (chunk.type === 'error' || chunk.type === 'abort') throw new Error('The model reported an error.');
    isFinished ||= chunk.type === 'finish';
    yield chunk;
  }
  if (!isFinished) throw new Error('The model’s answer ended without a finish part.');
}
