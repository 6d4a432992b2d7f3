import { TextDecoder } from '@exodus/bytes/encoding.js';

/** Writes text in a legacy encoding, which it finds by decoding every byte and every pair of bytes. */
export const encode = (text: string, encoding: string): Buffer => {
  const table = tables.get(encoding) ?? makeTable(encoding);
  tables.set(encoding, table);
  return Buffer.from([...text].flatMap((character) => table.get(character) ?? [63]));
};

const tables = new Map<string, Map<string, number[]>>();

const makeTable = (encoding: string) => {
  const decoder = new TextDecoder(encoding);
  const table = new Map<string, number[]>();
  for (let first = 0; first < 256; first++) {
    const character = decoder.decode(Uint8Array.of(first));
    if (character.length === 1 && character !== '\ufffd') table.set(character, [first]);
  }
  for (let first = 0x81; first < 0xff; first++) {
    for (let second = 0x40; second < 0xff; second++) {
      const pair = decoder.decode(Uint8Array.of(first, second));
      if ([...pair].length === 1 && pair !== '\ufffd' && !table.has(pair)) table.set(pair, [first, second]);
    }
  }
  return table;
};
