import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { UIMessageChunk } from 'ai';
import { expect, it, vi } from 'vitest';
import type { StreamEnd } from '../../../functions/chat/stream/end-always.ts';
import { streamAnswer } from '../../../functions/chat/stream/stream-answer.ts';
import { ApiError } from '../../../functions/domain/errors.ts';
import { formLines, parseChunks, protocolErrors } from '../../support/chat.ts';
import { useFakeTimers } from '../../support/fake-timers.ts';

/** A source whose parts the test provides one by one. */
class Source {
  #waiting: (() => void) | undefined;
  #queue: (UIMessageChunk | Error | 'end')[] = [];
  signal: AbortSignal | undefined;
  taken = 0;

  say(...parts: (UIMessageChunk | Error | 'end')[]) {
    this.#queue.push(...parts);
    this.#waiting?.();
  }

  start = async (signal: AbortSignal): Promise<AsyncIterable<UIMessageChunk>> => {
    this.signal = signal;
    return this.#parts();
  };

  async *#parts(): AsyncGenerator<UIMessageChunk> {
    for (;;) {
      const part = this.#queue.shift();
      if (part === 'end') return;
      if (part instanceof Error) throw part;
      if (part) {
        this.taken += 1;
        yield part;
      } else {
        await new Promise<void>((resolve) => {
          this.#waiting = resolve;
        });
      }
    }
  }
}

const start: UIMessageChunk[] = [{ type: 'start' }, { type: 'start-step' }, { type: 'text-start', id: '0' }];
const says = (delta: string): UIMessageChunk => ({ type: 'text-delta', id: '0', delta });
const finish: (UIMessageChunk | 'end')[] = [
  { type: 'text-end', id: '0' },
  { type: 'finish-step' },
  { type: 'finish', finishReason: 'stop' },
  'end',
];

const guard = (source: Source, receivedAt = performance.now()) => {
  const ends: StreamEnd[] = [];
  const head = streamAnswer({
    receivedAt,
    start: source.start,
    toChunk: (part: UIMessageChunk) => part,
    onEnd: async (end) => {
      ends.push(end);
    },
  });
  const outcome: { stream?: Readable; error?: unknown } = {};
  const settled = head.then(
    (stream) => {
      outcome.stream = stream;
    },
    (error) => {
      outcome.error = error;
    },
  );
  return { ends, outcome, settled };
};

/** Keeps reading, and collects the text. */
const reading = (stream: Readable) => {
  const read = { text: '', ended: false, failed: false };
  stream.on('data', (data) => {
    read.text += data;
  });
  stream.on('end', () => {
    read.ended = true;
  });
  stream.on('close', () => {
    read.failed = !read.ended;
  });
  return read;
};

useFakeTimers();

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

it('the head of an answer is held until the first content', async () => {
  const source = new Source();
  const { outcome } = guard(source);
  source.say(...start);
  await pass(8_000);
  expect(outcome).toEqual({});
  source.say(says('Hello'));
  await pass(0);
  expect(outcome.stream).toBeDefined();
});

it('the head of an answer is held for nine seconds at most, counted from the arrival of the request', async () => {
  const source = new Source();
  const { outcome } = guard(source, performance.now() - 3_000);
  source.say(...start);
  await pass(5_990);
  expect(outcome).toEqual({});
  await pass(20);
  const read = reading(outcome.stream as Readable);
  source.say(says('Hello'), ...finish);
  await pass(10);
  await pass(10);
  // What was being waited for at that moment is not lost.
  expect(read.text).toContain('Hello');
  expect(await protocolErrors(read.text)).toEqual([]);
});

it('the head of an answer is not sent after a failure before the first content: that is thrown, and the source is aborted', async () => {
  const source = new Source();
  const { outcome, ends } = guard(source);
  source.say(...start, new Error('secret of the provider'));
  await pass(0);
  expect(outcome.error).toBeInstanceOf(ApiError);
  expect((outcome.error as ApiError).status).toBe(500);
  expect((outcome.error as ApiError).code).toBe('chat_failed');
  expect((outcome.error as ApiError).message).not.toContain('secret');
  expect(source.signal?.aborted).toBe(true);
  expect(ends).toMatchObject([{ state: 'failed', cause: { message: 'secret of the provider' } }]);
  expect(vi.getTimerCount()).toBe(0);
});

it('the head of an answer is not sent for a source that ends without content', async () => {
  const source = new Source();
  const { outcome } = guard(source);
  source.say({ type: 'start' }, 'end');
  await pass(0);
  expect((outcome.error as ApiError).code).toBe('chat_failed');
});

it('the head of an answer is not sent after an error of our own, which is thrown as it is', async () => {
  const source = new Source();
  const { outcome } = guard(source);
  source.say(new ApiError('chat_budget_exhausted', 'Enough for today.'));
  await pass(0);
  expect((outcome.error as ApiError).status).toBe(429);
});

it('the head of an answer is sent for an answer that is empty but complete', async () => {
  const source = new Source();
  const { outcome } = guard(source);
  source.say({ type: 'start' }, { type: 'start-step' }, { type: 'finish-step' }, { type: 'finish' }, 'end');
  await pass(0);
  const read = reading(outcome.stream as Readable);
  await pass(0);
  expect(await protocolErrors(read.text)).toEqual([]);
});

const begun = async () => {
  const source = new Source();
  const { outcome, ends } = guard(source);
  source.say(...start, says('Hello'));
  await pass(0);
  const stream = outcome.stream as Readable;
  return { source, ends, stream, read: reading(stream) };
};

it('the whole answer arrives after its head, and its end is reported once', async () => {
  const { source, read, ends } = await begun();
  source.say(says(' there'), ...finish);
  await pass(0);
  expect(formLines(read.text)).toMatchInlineSnapshot(`
      "data: {"type":"start"}
      data: {"type":"start-step"}
      data: {"type":"text-start","id":"0"}
      data: {"type":"text-delta","id":"0","delta":"Hello"}
      data: {"type":"text-delta","id":"0","delta":" there"}
      data: {"type":"text-end","id":"0"}
      data: {"type":"finish-step"}
      data: {"type":"finish","finishReason":"stop"}
      data: [DONE]
      "
    `);
  await pass(60_000);
  expect(read.ended).toBe(true);
  expect(ends).toEqual([{ state: 'finished' }]);
  expect(vi.getTimerCount()).toBe(0);
});

it('a failure after the head closes the open texts, becomes an error part without details, and ends in [DONE]', async () => {
  const { source, read, ends } = await begun();
  source.say(new Error('secret of the provider'));
  await pass(0);
  expect(read.text.split('\n\n').slice(4)).toMatchInlineSnapshot(`
      [
        "data: {"type":"text-end","id":"0"}",
        "data: {"type":"error","errorText":"The assistant could not finish its answer. Try again."}",
        "data: [DONE]",
        "",
      ]
    `);
  expect(await protocolErrors(read.text)).toEqual([]);
  expect(read.ended).toBe(true);
  expect(ends).toMatchObject([{ state: 'failed' }]);
  expect(source.signal?.aborted).toBe(true);
});

it.each<[string, UIMessageChunk | 'end']>([
  ['ends without finishing', 'end'],
  ['reports an error', { type: 'error', errorText: 'secret' }],
  ['is aborted', { type: 'abort' }],
])('a source that %s has failed', async (_, last) => {
  const { source, read } = await begun();
  source.say(last, ...finish);
  await pass(0);
  expect(parseChunks(read.text).at(-1)?.type).toBe('error');
  expect(read.text).not.toContain('secret');
  expect(await protocolErrors(read.text)).toEqual([]);
});

it('a text that the source leaves open is closed before the end', async () => {
  const { source, read } = await begun();
  source.say(...finish.slice(1));
  await pass(0);
  expect(parseChunks(read.text).at(-1)?.type).toBe('finish');
  expect(await protocolErrors(read.text)).toEqual([]);
});

it('text of a part that was not started never reaches the client', async () => {
  const { source, read } = await begun();
  source.say({ type: 'text-delta', id: 'other', delta: 'stray' });
  await pass(0);
  expect(read.text).not.toContain('stray');
  expect(await protocolErrors(read.text)).toEqual([]);
});

it('a chunk that is not JSON is a failure, not a gap', async () => {
  const { source, read } = await begun();
  source.say({ type: 'tool-output-available', toolCallId: 'call', output: 1n });
  await pass(0);
  expect(parseChunks(read.text).at(-1)?.type).toBe('error');
  expect(await protocolErrors(read.text)).toEqual([]);
});

it('a comment is sent after every ten seconds of silence, and nothing else', async () => {
  const { source, read } = await begun();
  const pings = () => read.text.split('\n\n').filter((line) => line === ': ping').length;
  await pass(9_990);
  expect(pings()).toBe(0);
  await pass(20);
  expect(pings()).toBe(1);
  await pass(10_000);
  expect(pings()).toBe(2);
  source.say(says('more'));
  await pass(9_990);
  expect(pings()).toBe(2);
  await pass(20);
  expect(pings()).toBe(3);
});

it('a silent source is ended within 58 seconds, and the client learns why', async () => {
  const { source, read, ends } = await begun();
  await pass(56_990);
  expect(read.ended).toBe(false);
  await pass(20);
  expect(read.ended).toBe(true);
  expect(read.text).toContain('The answer took too long and was cut off.');
  expect(await protocolErrors(read.text)).toEqual([]);
  expect(source.signal?.aborted).toBe(true);
  expect(ends).toMatchObject([{ state: 'failed', cause: { name: 'TurnTimeoutError' } }]);
  source.say(says('too late'), ...finish);
  await pass(1_000);
  expect(read.text).not.toContain('too late');
  expect(vi.getTimerCount()).toBe(0);
});

it('a source that never stops is ended within 58 seconds', async () => {
  vi.useRealTimers();
  const source = new Source();
  const chatter = setInterval(() => source.say(...Array.from({ length: 50 }, () => says('la'))), 1);
  const { outcome, settled } = guard(source, performance.now() - 56_500);
  source.say(...start, says('Hello'));
  await settled;
  const read = reading(outcome.stream as Readable);
  const begun = performance.now();
  await once(outcome.stream as Readable, 'close');
  clearInterval(chatter);
  expect(performance.now() - begun).toBeLessThan(1_500);
  expect(await protocolErrors(read.text)).toEqual([]);
});

it('a source that is always ready does not block timers', async () => {
  vi.useRealTimers();
  async function* endless() {
    yield* start;
    for (;;) yield says('la');
  }
  const receivedAt = performance.now() - 56_800;
  const stream = await streamAnswer({
    receivedAt,
    start: async () => endless(),
    toChunk: (part: UIMessageChunk) => part,
    onEnd: async () => {},
  });
  stream.resume();
  await once(stream, 'close');
  expect(performance.now() - receivedAt).toBeLessThan(58_000);
});

it('a client that disconnects stops the source at once', async () => {
  const { source, stream, ends } = await begun();
  expect(source.signal?.aborted).toBe(false);
  stream.destroy();
  await pass(0);
  expect(source.signal?.aborted).toBe(true);
  expect(ends).toMatchObject([{ state: 'aborted' }]);
  expect(vi.getTimerCount()).toBe(0);
});

it('the end of the answer does not wait for a report that hangs', async () => {
  const source = new Source();
  const head = streamAnswer({
    receivedAt: performance.now(),
    start: source.start,
    toChunk: (part: UIMessageChunk) => part,
    onEnd: () => new Promise(() => {}),
  });
  source.say(...start, says('Hello'), ...finish);
  const stream = await head;
  vi.useRealTimers();
  const read = reading(stream);
  await once(stream, 'end');
  expect(await protocolErrors(read.text)).toEqual([]);
});

it('a client that does not read pauses the source', async () => {
  const source = new Source();
  const { outcome } = guard(source);
  source.say(...start, ...Array.from({ length: 5_000 }, () => says('x'.repeat(100))));
  await pass(0);
  const { taken } = source;
  expect(taken).toBeLessThan(200);
  await pass(20_000);
  expect(source.taken).toBe(taken);
  expect((outcome.stream as Readable).readableLength).toBeLessThan(32 * 1024);
});

it('a client that does not read is disconnected within 58 seconds, and the source is aborted', async () => {
  const source = new Source();
  const { outcome, ends } = guard(source);
  source.say(...start, ...Array.from({ length: 5_000 }, () => says('x'.repeat(100))));
  await pass(57_800);
  expect(source.signal?.aborted).toBe(true);
  expect((outcome.stream as Readable).destroyed).toBe(false);
  await pass(150);
  expect((outcome.stream as Readable).destroyed).toBe(true);
  expect(ends).toMatchObject([{ state: 'failed' }]);
  expect(vi.getTimerCount()).toBe(0);
});

it('a client that does not read gets everything when it reads again', async () => {
  const source = new Source();
  const { outcome } = guard(source);
  const words = Array.from({ length: 2_000 }, (_, index) => `word ${index} `);
  source.say(...start, ...words.map(says), ...finish);
  await pass(30_000);
  vi.useRealTimers();
  const read = reading(outcome.stream as Readable);
  await once(outcome.stream as Readable, 'end');
  const said = parseChunks(read.text).flatMap((chunk) => (chunk.type === 'text-delta' ? [chunk.delta] : []));
  expect(said).toEqual(words);
  expect(read.text).not.toContain(': ping');
  expect(await protocolErrors(read.text)).toEqual([]);
});

it.each([
  ['in small pieces', 'abcde'.repeat(2), 4_000],
  ['in one piece', 'x'.repeat(50_000), 1],
  ['with emoji at the split', '😀'.repeat(9_000), 2],
  ['off by one', `x${'😀'.repeat(9_000)}`, 2],
])(
  'a text that is longer than the client may send back arrives in parts within the limit, without splitting characters: %s',
  async (_, piece, times) => {
    const source = new Source();
    const { outcome } = guard(source);
    source.say(...start, ...Array.from({ length: times }, () => says(piece)), ...finish);
    await pass(0);
    vi.useRealTimers();
    const read = reading(outcome.stream as Readable);
    await once(outcome.stream as Readable, 'end');
    const texts = new Map<string, string>();
    for (const chunk of parseChunks(read.text)) {
      if (chunk.type === 'text-delta') texts.set(chunk.id, (texts.get(chunk.id) ?? '') + chunk.delta);
    }
    expect([...texts.values()].join('')).toBe(piece.repeat(times));
    expect(texts.size).toBeGreaterThan(1);
    for (const text of texts.values()) {
      expect(text.length).toBeLessThanOrEqual(16_000);
      expect(text.isWellFormed()).toBe(true);
    }
    expect(await protocolErrors(read.text)).toEqual([]);
  },
);
