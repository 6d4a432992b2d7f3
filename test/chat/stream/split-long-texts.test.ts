import type { UIMessageChunk } from 'ai';
import { expect, it } from 'vitest';
import { splitLongTexts } from '../../../functions/chat/stream/split-long-texts.ts';

async function* source(...chunks: UIMessageChunk[]) {
  yield* chunks;
}
const read = (maxUnits: number, ...chunks: UIMessageChunk[]) =>
  Array.fromAsync(splitLongTexts(source(...chunks), maxUnits));
const start = (id = '0'): UIMessageChunk => ({ type: 'text-start', id });
const delta = (text: string, id = '0'): UIMessageChunk => ({ type: 'text-delta', id, delta: text });
const end = (id = '0'): UIMessageChunk => ({ type: 'text-end', id });

it('splitting long texts leaves a text of the maximum length as it is', async () => {
  const chunks = [start(), delta('abc'), delta('de'), end()];
  expect(await read(5, ...chunks)).toEqual(chunks);
});

it('splitting long texts starts a new part where a text gets too long', async () => {
  expect(await read(5, start(), delta('abc'), delta('defghijkl'), end())).toEqual([
    start(),
    delta('abc'),
    delta('de'),
    end(),
    start('0.2'),
    delta('fghij', '0.2'),
    end('0.2'),
    start('0.3'),
    delta('kl', '0.3'),
    end('0.3'),
  ]);
});

it('splitting long texts never splits a surrogate pair', async () => {
  const chunks = await read(4, start(), delta('x😀😀😀'), end());
  const texts = chunks.flatMap((chunk) => (chunk.type === 'text-delta' ? [chunk.delta] : []));
  expect(texts).toEqual(['x😀', '😀😀']);
});

it.each<UIMessageChunk>([{ type: 'finish-step' }, { type: 'finish' }])(
  'splitting long texts closes the texts that are open at $type',
  async (last) => {
    expect(await read(5, start(), start('1'), last)).toEqual([start(), start('1'), end(), end('1'), last]);
  },
);

it('splitting long texts fails for text of a part that was not started, and ignores its end', async () => {
  expect(await read(5, end())).toEqual([]);
  await expect(read(5, delta('stray'))).rejects.toThrow('not started');
});
