import { Readable } from 'node:stream';
import type { UIMessageChunk } from 'ai';
import { limits } from '../../domain/limits.ts';
import { chatAnswerSeconds, chatStreamSeconds } from '../../domain/timeouts.ts';
import { Deadline, expired } from './deadline.ts';
import { endAlways, type StreamEnd, TurnTimeoutError, toApiError } from './end-always.ts';
import { holdHead } from './hold-head.ts';
import { interruptible } from './interruptible.ts';
import { keepAlive } from './keep-alive.ts';
import { splitLongTexts } from './split-long-texts.ts';
import { translate } from './translate.ts';

/** Deadlines in milliseconds since the request arrived: for the status, for the model, and for the whole response. */
const headMilliseconds = 9_000;
const answerMilliseconds = chatAnswerSeconds * 1000;
const closeMilliseconds = chatStreamSeconds * 1000 - 100;
const pingMilliseconds = 10_000;
/** The time that the end of the response waits for `onEnd`. */
const settleMilliseconds = 800;
/** The buffer for a client that reads slowly. */
const bufferBytes = 16 * 1024;

export type Answer<Part> = {
  /** The time at which the request arrived, on the clock of `performance.now()`. */
  receivedAt: number;
  /** Starts the source. It should stop when the signal aborts, but nothing waits for it to stop. */
  start(signal: AbortSignal): Promise<AsyncIterable<Part>>;
  /** Returns the chunk that the client receives for a part, if any. */
  toChunk(part: Part): UIMessageChunk | undefined;
  /** Runs once, when the answer has ended. */
  onEnd(end: StreamEnd): Promise<void>;
};

/**
 * Streams an answer as the AI SDK's UI message stream, in server-sent events. Resolves at the first content or after
 * nine seconds; an earlier failure is thrown. A later one is an `error` part. `[DONE]` always follows. Comments keep
 * the connection alive. Everything ends within 58 seconds, even if the model, a tool or the client hangs. A client that
 * reads slowly slows the source down.
 */
export const streamAnswer = async <Part>(answer: Answer<Part>): Promise<Readable> => {
  const { receivedAt, start, toChunk, onEnd } = answer;
  const source = new AbortController();
  const closed = Promise.withResolvers<void>();
  let settled: Promise<unknown> | undefined;
  const end = async (result: StreamEnd) => {
    source.abort(result.cause);
    settled ??= new Deadline(settleMilliseconds).wait(onEnd(result).catch(() => {}));
    await settled;
  };
  const onDeadline = async (milliseconds: number, action: () => unknown) => {
    if ((await new Deadline(milliseconds, receivedAt).wait(closed.promise)) === expired) await action();
  };
  // Neither `closed` nor an action rejects.
  void onDeadline(answerMilliseconds, () => end({ state: 'failed', cause: new TurnTimeoutError() }));

  try {
    const chunks = splitLongTexts(translate(interruptible(start, source.signal), toChunk), limits.chatTextUnits);
    const begun = await holdHead(chunks, new Deadline(headMilliseconds, receivedAt));
    const body = toReadable(keepAlive(endAlways(begun, end), pingMilliseconds), (error) => {
      closed.resolve();
      void end({ state: 'aborted', cause: error });
    });
    void onDeadline(closeMilliseconds, () => body.destroy(new Error('The client did not read the answer in time.')));
    return body;
  } catch (cause) {
    closed.resolve();
    await end({ state: 'failed', cause });
    throw toApiError(cause);
  }
};

/** Returns a stream that reads ahead by one buffer, and closes at once when it is destroyed, even while it waits for an event. */
const toReadable = (events: AsyncGenerator<string>, onClose: (error: Error | null) => void): Readable =>
  new Readable({
    highWaterMark: bufferBytes,
    async read() {
      const { done, value } = await events.next();
      this.push(done ? null : value);
    },
    destroy(error, callback) {
      onClose(error);
      callback(error);
    },
  }).on('error', () => {});
