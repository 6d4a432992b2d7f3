import { once } from 'node:events';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type LanguageModel, streamText } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import type { Context, StreamifyHandler } from 'aws-lambda';
import { buildChat } from '../../../functions/api/build-chat.ts';
import { lambda } from '../../../functions/http/lambda.ts';
import { median, type Row, ratioOfRounds } from '../benchmark.ts';
import { eventOf } from '../world.ts';

const deltas = 20_000;
const rounds = 15;
const stalledDeltas = 200_000;
const firstBytes = 50;
const warmUps = 10;

type ModelPart =
  Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 10, text: 10, reasoning: undefined },
};

/** A model that says a number of words as fast as they are taken, and records when it says the first. */
const modelOf = (words: number, measured: { firstAt?: number; taken?: number } = {}): LanguageModel =>
  new MockLanguageModelV4({
    doStream: async () => {
      let said = -2;
      const stream = new ReadableStream<ModelPart>({
        pull(controller) {
          said += 1;
          if (said === -1) controller.enqueue({ type: 'stream-start', warnings: [] });
          else if (said === 0) controller.enqueue({ type: 'text-start', id: '0' });
          else if (said <= words) {
            if (said === 1) measured.firstAt = performance.now();
            measured.taken = said;
            controller.enqueue({ type: 'text-delta', id: '0', delta: 'word ' });
          } else if (said === words + 1) controller.enqueue({ type: 'text-end', id: '0' });
          else if (said === words + 2) {
            controller.enqueue({ type: 'finish', finishReason: { unified: 'stop', raw: 'end_turn' }, usage });
          } else controller.close();
        },
      });
      return { stream };
    },
  });

const messages = [{ id: 'message-1', role: 'user', parts: [{ type: 'text', text: 'Go on.' }] }];

/** Has the chat’s handler answer as on Lambda, into a stream. */
const answer = async (model: LanguageModel, into: Writable): Promise<void> => {
  const services = { ...buildChat.services, chatModel: { get: () => model } };
  const handler = lambda({ ...buildChat, services }) as unknown as StreamifyHandler;
  const event = eventOf(buildChat, { body: { id: 'chat-1', messages } });
  await handler(event, into as awslambda.HttpResponseStream, {} as Context);
};

/** What the deltas of an answer cost over the AI SDK alone, how soon the first is out, and what a reader who stalls costs. */
export const chat: Row = {
  name: 'chat',
  title: 'The build chat’s stream',

  async measure(open, say) {
    const { proxy } = await open();
    proxy.delay(0);
    Object.assign(globalThis, {
      awslambda: {
        streamifyResponse: (handler: unknown) => handler,
        HttpResponseStream: { from: (into: unknown) => into },
      },
    });
    const soon = await firstByte();
    say('the first byte is timed');
    const { ours, bare, ratio } = await processorTime();
    say('processor time is measured');
    const kibibytes = await stalled();
    return [
      {
        what: 'first byte after the model’s first word',
        ours: { value: soon, unit: 'ms' as const },
        target: { text: '≤ 5 ms', reached: soon <= 5 },
      },
      {
        what: 'processor time of a word',
        ours: { value: ours, unit: 'µs' as const },
        against: { what: 'the AI SDK alone', quantity: { value: bare, unit: 'µs' as const }, ratio },
        target: { text: '≤ 1.08×', reached: ratio <= 1.08 },
      },
      {
        what: `memory, of ${stalledDeltas.toLocaleString('en')} words that nobody reads`,
        ours: { value: kibibytes, unit: 'KiB' as const },
        target: { text: '≤ 20,480 KiB', reached: kibibytes <= 20_480 },
      },
    ];
  },
};

/**
 * From the model’s first word to the first byte of it in the caller’s stream: the median of the quicker half, since what
 * else the machine does is not the question.
 */
const firstByte = async (): Promise<number> => {
  const taken: number[] = [];
  for (let round = 0; round < firstBytes; round++) {
    const measured: { firstAt?: number } = {};
    let at: number | undefined;
    const into = new Writable({
      write(chunk, _, done) {
        if (at === undefined && String(chunk).includes('text-delta')) at = performance.now();
        done();
      },
    });
    await answer(modelOf(50, measured), into);
    if (at === undefined || measured.firstAt === undefined) throw new Error('The model’s first word did not arrive.');
    if (round >= warmUps) taken.push(at - measured.firstAt);
  }
  return median(taken.toSorted((a, b) => a - b).slice(0, taken.length / 2));
};

/** Microseconds of processor time for each word: of the service, and of the AI SDK’s own answer to the same model. */
const processorTime = async (): Promise<{ ours: number; bare: number; ratio: number }> => {
  const ways = {
    ours: async () => {
      const into = new Writable({ write: (_chunk, _encoding, done) => done() });
      await answer(modelOf(deltas), into);
    },
    bare: async () => {
      const { body } = streamText({ model: modelOf(deltas), prompt: 'Go on.' }).toUIMessageStreamResponse();
      for await (const _ of body as ReadableStream<Uint8Array>);
    },
  };
  const taken = { ours: [] as number[], bare: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    for (const way of ['ours', 'bare'] as const) {
      const before = process.cpuUsage();
      await ways[way]();
      const { user, system } = process.cpuUsage(before);
      // The first round warms up.
      if (round > 0) taken[way].push((user + system) / deltas);
    }
  }
  return { ours: median(taken.ours), bare: median(taken.bare), ratio: ratioOfRounds(taken.ours, taken.bare) };
};

/** KiB that are held, three seconds after a reader took the first bytes of a very long answer and then stopped. */
const stalled = async (): Promise<number> => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const held = async () => {
    for (let round = 0; round < 3; round++) {
      collect();
      await sleep(20);
    }
    const { heapUsed, external, arrayBuffers } = process.memoryUsage();
    return (heapUsed + external + arrayBuffers) / 1024;
  };
  const measured: { taken?: number } = {};
  const into = new Writable({ highWaterMark: 16 * 1024, write: () => {} });
  const before = await held();
  const answering = answer(modelOf(stalledDeltas, measured), into).catch(() => {});
  await sleep(3000);
  const after = await held();
  into.destroy();
  await answering;
  if (!into.closed) await once(into, 'close');
  if ((measured.taken ?? 0) < 10) throw new Error('The model was hardly asked: this measures nothing.');
  return Math.max(0, after - before);
};
