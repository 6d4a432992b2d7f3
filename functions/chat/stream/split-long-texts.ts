import type { UIMessageChunk } from 'ai';

/** A text part that is open: the id that the client knows it by, and its length so far. */
type OpenText = { id: string; units: number; parts: number };

/** Splits texts longer than a client may return, outside surrogate pairs. Closes parts that the model left open. */
export async function* splitLongTexts(
  chunks: AsyncIterable<UIMessageChunk>,
  maxUnits: number,
): AsyncGenerator<UIMessageChunk> {
  const open = new Map<string, OpenText>();
  for await (const chunk of chunks) {
    if (chunk.type === 'text-start') open.set(chunk.id, { id: chunk.id, units: 0, parts: 1 });
    if (chunk.type === 'text-delta') {
      const text = open.get(chunk.id);
      if (!text) throw new Error('The model’s answer has text of a part that was not started.');
      yield* split(text, chunk, maxUnits);
    } else if (chunk.type === 'text-end') {
      const text = open.get(chunk.id);
      if (text) yield { type: 'text-end', id: text.id };
      open.delete(chunk.id);
    } else {
      if (chunk.type === 'finish-step' || chunk.type === 'finish') {
        for (const { id } of open.values()) yield { type: 'text-end', id };
        open.clear();
      }
      yield chunk;
    }
  }
}

function* split(
  text: OpenText,
  { id, delta }: { id: string; delta: string },
  maxUnits: number,
): Generator<UIMessageChunk> {
  let rest = delta;
  while (text.units + rest.length > maxUnits) {
    const free = maxUnits - text.units;
    const fits = isHighSurrogate(rest.charCodeAt(free - 1)) ? free - 1 : free;
    if (fits > 0) yield { type: 'text-delta', id: text.id, delta: rest.slice(0, fits) };
    yield { type: 'text-end', id: text.id };
    text.parts += 1;
    text.id = `${id}.${text.parts}`;
    text.units = 0;
    yield { type: 'text-start', id: text.id };
    rest = rest.slice(fits);
  }
  text.units += rest.length;
  if (rest !== '') yield { type: 'text-delta', id: text.id, delta: rest };
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
