import { Readable } from 'node:stream';
import { setTimeout as sleep, setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { UIMessageChunk } from 'ai';
import { ApiError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';

/** The times of an answer, in milliseconds; all but the pings' since its request came. */
const headAfter = 9_000;
const pingAfter = 10_000;
const lastWordAfter = 57_000;
const overAfter = 57_900;
/** How long the end of an answer waits for what is to be written down about it. */
const settlingMilliseconds = 800;
/** How much is kept ready for a reader who does not take it. */
const readyBytes = 16 * 1024;
/** A source that always has more does not keep timers and sockets waiting longer than this. */
const stintMilliseconds = 20;

/** How an answer ended. It is aborted when its reader went away. */
export type StreamEnd = { state: 'finished' | 'failed' | 'aborted'; cause?: unknown };

export type Guarded<Part> = {
  /** When the request came, on the clock of `performance.now()`. */
  receivedAt: number;
  /** Starts what is guarded. It is to stop as soon as the signal says so, but is not waited for. */
  start(signal: AbortSignal): Promise<AsyncIterable<Part>>;
  /** What the reader is told of a part, if anything. */
  translate(part: Part): UIMessageChunk | undefined;
  onEnd(end: StreamEnd): Promise<void>;
};

/**
 * Makes an answer of the AI SDK's UI message stream, as server-sent events, that keeps its promises whatever goes on inside.
 * It resolves with the first content, or after nine seconds; what fails before that is thrown. From then on a failure is an
 * `error` part, `[DONE]` comes in any case, silence is broken by comments, and all is over before a minute has passed. Nothing is
 * taken from the source that the reader has no room for.
 */
export const guardStream = <Part>(guarded: Guarded<Part>): Promise<Readable> => {
  const stream = new GuardedStream(guarded);
  return stream.head.then(() => stream);
};

class GuardedStream<Part> extends Readable {
  readonly #guarded: Guarded<Part>;
  readonly #head = Promise.withResolvers<void>();
  readonly #source = new AbortController();
  readonly #timers: NodeJS.Timeout[];
  #pingTimer: NodeJS.Timeout | undefined;
  /** The texts that are open, by the source's id, with the id they are told under and how long they are. */
  readonly #texts = new Map<string, { id: string; units: number; parts: number }>();
  #headIsOut = false;
  #isOver = false;
  #hasRoom = true;
  #madeRoom: (() => void) | undefined;
  #sentAt = performance.now();

  constructor(guarded: Guarded<Part>) {
    super({ highWaterMark: readyBytes });
    this.#guarded = guarded;
    const at = (milliseconds: number, what: () => void) =>
      setTimeout(what, Math.max(0, milliseconds - (performance.now() - guarded.receivedAt)));
    this.#timers = [
      at(headAfter, () => this.#releaseHead()),
      at(lastWordAfter, () => this.#end({ state: 'failed', cause: new TurnTimeoutError() })),
      at(overAfter, () => this.destroy(new Error('The reader did not take the answer in time.'))),
    ];
    this.#pingLater(pingAfter);
    // Whoever only waits for the head is told of a failure there; a stream that nobody waits for is no fault.
    this.on('error', () => {});
    this.#run();
  }

  /** Resolves when the answer may begin, and rejects when it is to be a failure instead. */
  get head(): Promise<void> {
    return this.#head.promise;
  }

  override _read(): void {
    this.#hasRoom = true;
    this.#madeRoom?.();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    for (const timer of [...this.#timers, this.#pingTimer]) clearTimeout(timer);
    this.#madeRoom?.();
    if (!this.#isOver) {
      this.#isOver = true;
      this.#source.abort(error ?? undefined);
      this.#settle({ state: 'aborted', cause: error });
    }
    callback(error);
  }

  async #run(): Promise<void> {
    const { start, translate } = this.#guarded;
    let yieldedAt = performance.now();
    let isFinished = false;
    try {
      for await (const part of await start(this.#source.signal)) {
        if (this.#isOver) return;
        const chunk = translate(part);
        if (chunk) this.#tell(chunk);
        isFinished ||= chunk?.type === 'finish';
        if (!this.#hasRoom) await this.#room();
        if (performance.now() - yieldedAt > stintMilliseconds) {
          await turnOfTheLoop();
          yieldedAt = performance.now();
        }
      }
      if (!isFinished) throw new Error('The model’s answer broke off.');
      await this.#end({ state: 'finished' });
    } catch (cause) {
      await this.#end({ state: 'failed', cause });
    }
  }

  #room(): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      this.#madeRoom = resolve;
    });
  }

  #tell(chunk: UIMessageChunk): void {
    switch (chunk.type) {
      case 'text-start':
        this.#texts.set(chunk.id, { id: chunk.id, units: 0, parts: 1 });
        this.#send(chunk);
        break;
      case 'text-delta':
        this.#tellText(chunk.id, chunk.delta);
        break;
      case 'text-end':
        this.#closeText(chunk.id);
        break;
      case 'error':
      case 'abort':
        throw new Error('The model’s answer failed.');
      case 'finish-step':
      case 'finish':
        this.#closeTexts();
        this.#send(chunk);
        break;
      default:
        this.#send(chunk);
    }
    if (!this.#headIsOut && !beginnings.has(chunk.type)) this.#releaseHead();
  }

  /** Tells text in parts that are no longer than what is taken back with the conversation. */
  #tellText(sourceId: string, delta: string): void {
    const text = this.#texts.get(sourceId);
    if (!text) throw new Error('The model’s answer holds text of a part that was not begun.');
    let rest = delta;
    while (text.units + rest.length > limits.chatTextUnits) {
      const free = limits.chatTextUnits - text.units;
      const fits = isHighSurrogate(rest.charCodeAt(free - 1)) ? free - 1 : free;
      if (fits > 0) this.#send({ type: 'text-delta', id: text.id, delta: rest.slice(0, fits) });
      this.#send({ type: 'text-end', id: text.id });
      text.parts += 1;
      text.id = `${sourceId}.${text.parts}`;
      text.units = 0;
      this.#send({ type: 'text-start', id: text.id });
      rest = rest.slice(fits);
    }
    text.units += rest.length;
    if (rest !== '') this.#send({ type: 'text-delta', id: text.id, delta: rest });
  }

  #closeText(sourceId: string): void {
    const text = this.#texts.get(sourceId);
    if (text) this.#send({ type: 'text-end', id: text.id });
    this.#texts.delete(sourceId);
  }

  #closeTexts(): void {
    for (const sourceId of [...this.#texts.keys()]) this.#closeText(sourceId);
  }

  #send(chunk: UIMessageChunk): void {
    this.#write(`data: ${JSON.stringify(chunk)}\n\n`);
  }

  #write(text: string): void {
    this.#hasRoom = this.push(text);
    this.#sentAt = performance.now();
  }

  #pingLater(milliseconds: number): void {
    this.#pingTimer = setTimeout(() => this.#ping(), milliseconds);
  }

  /** Breaks a silence, unless it is the reader who does not listen. */
  #ping(): void {
    const silence = performance.now() - this.#sentAt;
    const isDue = silence >= pingAfter;
    if (isDue && this.#hasRoom) this.#write(': ping\n\n');
    this.#pingLater(isDue ? pingAfter : pingAfter - silence);
  }

  #releaseHead(): void {
    if (this.#headIsOut || this.#isOver) return;
    this.#headIsOut = true;
    this.#sentAt = performance.now();
    this.#head.resolve();
  }

  /** Ends the answer once: what the source still does or says after that reaches nobody. */
  async #end(end: StreamEnd): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#pingTimer);
    this.#source.abort(end.cause);
    if (!this.#headIsOut && end.state === 'failed') {
      await this.#settle(end);
      this.#head.reject(failureOf(end.cause));
      this.destroy();
      return;
    }
    if (end.state === 'failed') {
      this.#closeTexts();
      this.#send({ type: 'error', errorText: failureOf(end.cause).message });
    }
    this.#write('data: [DONE]\n\n');
    await this.#settle(end);
    this.push(null);
  }

  async #settle(end: StreamEnd): Promise<void> {
    const settled = new AbortController();
    const patience = sleep(settlingMilliseconds, undefined, { signal: settled.signal }).catch(() => {});
    await Promise.race([this.#guarded.onEnd(end).catch(() => {}), patience]);
    settled.abort();
  }
}

class TurnTimeoutError extends Error {
  override readonly name = 'TookTooLong';
}

/** What the reader is told of a failure: a refusal of ours as it is, and of anything else no more than that it happened. */
const failureOf = (cause: unknown): ApiError => {
  if (cause instanceof ApiError) return cause;
  if (cause instanceof TurnTimeoutError) {
    return new ApiError('chat_failed', 'The answer took too long and was cut off. Ask for less at once.');
  }
  return new ApiError('chat_failed', 'The assistant could not finish its answer. Try again.');
};

/** What comes before any content: an answer that has come no further can still be a failure. */
const beginnings = new Set<UIMessageChunk['type']>(['start', 'start-step', 'text-start', 'text-end', 'finish-step']);

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
