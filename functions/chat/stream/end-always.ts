import type { UIMessageChunk } from 'ai';
import { ApiError } from '../../domain/errors.ts';

/** The end of an answer; `aborted` means that the client disconnected. */
export type StreamEnd = { state: 'finished' | 'failed' | 'aborted'; cause?: unknown };

/** Encodes an answer, and completes it after any failure. The stream stays open until `onEnd` resolves. */
export async function* endAlways(
  chunks: AsyncIterable<UIMessageChunk>,
  onEnd: (end: StreamEnd) => Promise<void>,
): AsyncGenerator<string> {
  const openTexts = new Set<string>();
  let end: StreamEnd = { state: 'finished' };
  try {
    for await (const chunk of chunks) {
      yield toSse(chunk);
      if (chunk.type === 'text-start') openTexts.add(chunk.id);
      if (chunk.type === 'text-end') openTexts.delete(chunk.id);
    }
  } catch (cause) {
    end = { state: 'failed', cause };
    for (const id of openTexts) yield toSse({ type: 'text-end', id });
    yield toSse({ type: 'error', errorText: toApiError(cause).message });
  }
  yield 'data: [DONE]\n\n';
  await onEnd(end);
}

const toSse = (chunk: UIMessageChunk) => `data: ${JSON.stringify(chunk)}\n\n`;

export class TurnTimeoutError extends Error {
  override readonly name = 'TurnTimeoutError';
}

/** Returns the error that the client sees: an unchanged `ApiError`, or any other error without its details. */
export const toApiError = (cause: unknown): ApiError => {
  if (cause instanceof ApiError) return cause;
  if (cause instanceof TurnTimeoutError) {
    return new ApiError('chat_failed', 'The answer took too long and was cut off. Ask for less at once.');
  }
  return new ApiError('chat_failed', 'The assistant could not finish its answer. Try again.');
};
