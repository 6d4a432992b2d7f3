import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { EventStreamCodec } from '@smithy/core/event-streams';
import { uiMessageChunkSchema } from 'ai';
import pMap from 'p-map';
import { describe, expect, it } from 'vitest';
import { chunksIn, talk } from '../support/chat.ts';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);
const text = (value: string) => ({ type: 'string' as const, value });

/** Events of Bedrock's ConverseStream, as its wire carries them. */
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

/** The provider's own code, before a wire that carries these bytes, one call's after the other. */
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

const schema = uiMessageChunkSchema();
const faultsOf = async (answer: Awaited<ReturnType<typeof talk>>): Promise<string[]> => {
  if (answer.status === 500) return answer.body?.error === 'chat_failed' ? [] : [answer.text];
  const faults = answer.text.endsWith('data: [DONE]\n\n') ? [] : ['no [DONE]'];
  for (const chunk of chunksIn(answer.text)) {
    const result = await schema.validate?.(chunk);
    if (!result?.success) faults.push(JSON.stringify(chunk));
  }
  const last = chunksIn(answer.text).at(-1)?.type;
  return last === 'finish' || last === 'error' ? faults : [...faults, `ends with ${last}`];
};

describe('Bedrock’s own stream', () => {
  it('of a tool call and an answer becomes the UI message stream', async () => {
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
    expect(await faultsOf(answer)).toEqual([]);
  });

  it('cut at any byte is a failure in words, or complete, and never a broken answer', async () => {
    const cuts = Array.from({ length: callsTool.length }, (_, bytes) => bytes);
    const outcomes = await pMap(
      cuts,
      async (bytes) => {
        const answer = await talk(bedrockThatSends(callsTool.subarray(0, bytes), answers));
        const ended = chunksIn(answer.text).at(-1)?.type ?? 'not begun';
        return { bytes, faults: await faultsOf(answer), ended };
      },
      { concurrency: 6 },
    );
    expect(outcomes.filter(({ faults }) => faults.length > 0)).toEqual([]);
    // Only what lacks no more than the count of its tokens is complete.
    const complete = outcomes.filter(({ ended }) => ended === 'finish').map(({ bytes }) => bytes);
    expect(complete).toEqual([callsTool.length - tokens.length]);
  }, 240_000);

  it('with any byte changed is a failure in words, or complete, and never a broken answer', async () => {
    const places = Array.from({ length: Math.ceil(callsTool.length / 7) }, (_, index) => index * 7);
    const outcomes = await pMap(
      places,
      async (place) => {
        const changed = Buffer.from(callsTool);
        changed[place] = (changed[place] as number) ^ 0x55;
        return { place, faults: await faultsOf(await talk(bedrockThatSends(changed, answers))) };
      },
      { concurrency: 6 },
    );
    expect(outcomes.filter(({ faults }) => faults.length > 0)).toEqual([]);
  }, 240_000);

  it.each([
    [
      'a refusal',
      () =>
        Response.json({ message: 'secret' }, { status: 400, headers: { 'x-amzn-errortype': 'ValidationException' } }),
    ],
    ['no access', () => Response.json({ message: 'secret' }, { status: 403 })],
    ['HTML', () => new Response('<html>secret</html>', { status: 502, headers: { 'content-type': 'text/html' } })],
    ['nothing', () => new Response(null, { status: 200 })],
    ['JSON where a stream is due', () => Response.json({ secret: true })],
  ])('that is %s is a 500 that tells nothing of it', async (_, response) => {
    const answer = await talk(bedrockThatSends(response));
    expect([answer.status, answer.body.error]).toEqual([500, 'chat_failed']);
    expect(answer.text).not.toContain('secret');
  });
});
