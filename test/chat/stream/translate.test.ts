import type { UIMessageChunk } from 'ai';
import { expect, it } from 'vitest';
import { translate } from '../../../functions/chat/stream/translate.ts';

async function* source<T>(...parts: T[]) {
  yield* parts;
}
const read = (...parts: (UIMessageChunk | undefined)[]) => Array.fromAsync(translate(source(...parts), (part) => part));

it('translating a model’s answer leaves out the parts that have no chunk', async () => {
  expect(await read({ type: 'start' }, undefined, { type: 'finish' })).toEqual([{ type: 'start' }, { type: 'finish' }]);
});

it.each<[string, UIMessageChunk[]]>([
  ['nothing', []],
  ['no finish part', [{ type: 'start' }, { type: 'start-step' }, { type: 'finish-step' }]],
  ['an error part', [{ type: 'error', errorText: 'x' }, { type: 'finish' }]],
  ['an abort part', [{ type: 'abort' }, { type: 'finish' }]],
])('translating a model’s answer fails for an answer with %s', async (_, parts) => {
  await expect(read(...parts)).rejects.toThrow('The model');
});
