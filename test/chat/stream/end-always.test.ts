import type { UIMessageChunk } from 'ai';
import { expect, it } from 'vitest';
import { endAlways, type StreamEnd, TurnTimeoutError } from '../../../functions/chat/stream/end-always.ts';
import { ApiError } from '../../../functions/domain/errors.ts';

const read = async (failure: unknown, ...chunks: UIMessageChunk[]) => {
  async function* source() {
    yield* chunks;
    if (failure) throw failure;
  }
  const ends: StreamEnd[] = [];
  const onEnd = async (end: StreamEnd) => {
    ends.push(end);
  };
  return { events: await Array.fromAsync(endAlways(source(), onEnd)), ends };
};

const done = 'data: [DONE]\n\n';

it('the end of an answer is [DONE], and then it is reported', async () => {
  expect(await read(undefined, { type: 'finish' })).toEqual({
    events: ['data: {"type":"finish"}\n\n', done],
    ends: [{ state: 'finished' }],
  });
});

it('a failed answer closes its open texts and reports the failure without its details', async () => {
  const failure = new Error('secret');
  const { events, ends } = await read(
    failure,
    { type: 'text-start', id: '0' },
    { type: 'text-end', id: '0' },
    { type: 'text-start', id: '1' },
  );
  expect(events.slice(3)).toEqual([
    'data: {"type":"text-end","id":"1"}\n\n',
    'data: {"type":"error","errorText":"The assistant could not finish its answer. Try again."}\n\n',
    done,
  ]);
  expect(ends).toEqual([{ state: 'failed', cause: failure }]);
});

it.each([
  [new ApiError('chat_budget_exhausted', 'Enough for today.'), 'Enough for today.'],
  [new TurnTimeoutError(), 'The answer took too long and was cut off. Ask for less at once.'],
])('a failed answer shows our own errors: %s', async (failure, errorText) => {
  const { events } = await read(failure);
  expect(events).toEqual([`data: ${JSON.stringify({ type: 'error', errorText })}\n\n`, done]);
});

it('an answer reports a chunk that is not JSON as a failure', async () => {
  const { ends } = await read(undefined, { type: 'tool-output-available', toolCallId: 'call', output: 1n });
  expect(ends).toMatchObject([{ state: 'failed' }]);
});
