import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { EventStreamCodec } from '@smithy/core/event-streams';
import pMap from 'p-map';
import { describe, expect, it } from 'vitest';
import { itInAnyHistory } from '../support/any-history.ts';
import { protocolErrors, talk } from '../support/chat.ts';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);
const text = (value: string) => ({ type: 'string' as const, value });

/** Events of Bedrock's ConverseStream, encoded as Bedrock sends them. */
const wire = (...events: [string, object][]) =>
  Buffer.concat(
    events.map(([type, payload]) =>
      Buffer.from(
        codec.encode({
          headers: {
            ':event-type': text(type),
            ':content-type': text('application/json'),
            ':message-type': text('event'),
          },
          body: Buffer.from(JSON.stringify(payload)),
        }),
      ),
    ),
  );

const tokens = wire([
  'metadata',
  { usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 }, metrics: { latencyMs: 1 } },
]);
const callsTool = Buffer.concat([
  wire(
    ['messageStart', { role: 'assistant' }],
    ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'One moment.' } }],
    ['contentBlockStop', { contentBlockIndex: 0 }],
    [
      'contentBlockStart',
      { contentBlockIndex: 1, start: { toolUse: { toolUseId: 'tooluse_1', name: 'checkNumbers' } } },
    ],
    ['contentBlockDelta', { contentBlockIndex: 1, delta: { toolUse: { input: '{"numbers":["+14155550100"]}' } } }],
    ['contentBlockStop', { contentBlockIndex: 1 }],
    ['messageStop', { stopReason: 'tool_use' }],
  ),
  tokens,
]);
const answers = wire(
  ['messageStart', { role: 'assistant' }],
  ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'It is good.' } }],
  ['contentBlockStop', { contentBlockIndex: 0 }],
  ['messageStop', { stopReason: 'end_turn' }],
  ['metadata', { usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 }, metrics: { latencyMs: 1 } }],
);

/** The provider's own code, with these bytes as the responses of its calls. */
const bedrockThatSends = (...calls: (Buffer | (() => Response))[]) => {
  let made = 0;
  const provider = createAmazonBedrock({
    region: 'us-east-1',
    accessKeyId: 'a',
    secretAccessKey: 'b',
    fetch: async () => {
      const sent = calls[Math.min(made++, calls.length - 1)] as Buffer | (() => Response);
      if (typeof sent === 'function') return sent();
      return new Response(new Uint8Array(sent), { headers: { 'content-type': 'application/vnd.amazon.eventstream' } });
    },
  });
  return provider('anthropic.claude-sonnet-4');
};

const collectErrors = async (answer: Awaited<ReturnType<typeof talk>>): Promise<string[]> => {
  if (answer.status === 500) return answer.body?.error === 'chat_failed' ? [] : [answer.text];
  const errors = await protocolErrors(answer.text);
  const last = answer.chunks.at(-1)?.type;
  return last === 'finish' || last === 'error' ? errors : [...errors, `ends with ${last}`];
};

/** Returns the positions at which the events of `callsTool` end: each starts with its length. */
const eventEnds: number[] = [];
for (let at = 0; at < callsTool.length; ) {
  at += callsTool.readUInt32BE(at);
  eventEnds.push(at);
}

describe.concurrent('Bedrock’s own stream', () => {
  it('Bedrock’s own stream with a tool call and an answer becomes the UI message stream', async () => {
    const answer = await talk(bedrockThatSends(callsTool, answers));
    expect(answer.chunks.map(({ type }) => type)).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-available',
      'tool-output-available',
      'finish-step',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ]);
    expect(await collectErrors(answer)).toEqual([]);
  });

  itInAnyHistory(
    'a cut stream of Bedrock is a reported failure or a complete answer, and never an invalid stream',
    [5, 60],
    async (runs) => {
      // The bytes around the end of each event, and some of those between.
      const step = Math.ceil(callsTool.length / runs);
      const cuts = Array.from({ length: callsTool.length }, (_, bytes) => bytes).filter(
        (bytes) => bytes % step === 0 || eventEnds.some((end) => Math.abs(bytes - end) <= 1),
      );
      const outcomes = await pMap(
        cuts,
        async (bytes) => {
          const answer = await talk(bedrockThatSends(callsTool.subarray(0, bytes), answers));
          const ended = answer.chunks.at(-1)?.type ?? 'not begun';
          return { bytes, errors: await collectErrors(answer), ended };
        },
        { concurrency: 6 },
      );
      expect(outcomes.filter(({ errors }) => errors.length > 0)).toEqual([]);
      // The answer is complete only if nothing but the token usage is missing.
      const complete = outcomes.filter(({ ended }) => ended === 'finish').map(({ bytes }) => bytes);
      expect(complete).toEqual([callsTool.length - tokens.length]);
    },
  );

  itInAnyHistory(
    'a stream of Bedrock with any byte changed is a reported failure or a complete answer, and never an invalid stream',
    [10, 70],
    async (runs) => {
      const step = Math.floor(callsTool.length / runs);
      const places = Array.from({ length: runs }, (_, index) => index * step);
      const outcomes = await pMap(
        places,
        async (place) => {
          const changed = Buffer.from(callsTool);
          changed[place] = (changed[place] as number) ^ 0x55;
          return { place, errors: await collectErrors(await talk(bedrockThatSends(changed, answers))) };
        },
        { concurrency: 6 },
      );
      expect(outcomes.filter(({ errors }) => errors.length > 0)).toEqual([]);
    },
  );

  it.each([
    [
      'HTML',
      () =>
        new Response('<html>secret</html>', {
          status: 502,
          // A retry without this header waits for seconds.
          headers: { 'content-type': 'text/html', 'retry-after-ms': '10' },
        }),
    ],
    ['nothing', () => new Response(null, { status: 200 })],
    ['JSON instead of a stream', () => Response.json({ secret: true })],
  ])('a response of Bedrock that is %s is a 500 without its details', async (_, response) => {
    const answer = await talk(bedrockThatSends(response));
    expect([answer.status, answer.body.error]).toEqual([500, 'chat_failed']);
    expect(answer.text).not.toContain('secret');
  });
});
