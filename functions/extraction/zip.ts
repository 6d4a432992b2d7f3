import type { Readable } from 'node:stream';
import yauzl from 'yauzl';

/** Compressed data that holds more than a document does: too many entries, or too many bytes once inflated. */
export class DecompressionLimitError extends Error {
  override readonly name = 'DecompressionLimitError';
}

const maxEntries = 10_000;

/** Reads the wanted files of a zip archive. Declared sizes are added up first, and enforced while inflating. */
export const readZip = async (
  bytes: Uint8Array,
  isWanted: (name: string) => boolean,
  maxBytes: number,
): Promise<Map<string, Buffer>> => {
  const archive = await yauzl.fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (archive.entryCount > maxEntries) throw new DecompressionLimitError('The archive has too many entries.');
  const wanted: yauzl.Entry[] = [];
  let declared = 0;
  for await (const entry of archive.eachEntry()) {
    if (!isWanted(entry.fileName)) continue;
    declared += entry.uncompressedSize;
    if (declared > maxBytes) throw new DecompressionLimitError('The archive inflates to too many bytes.');
    wanted.push(entry);
  }
  const files = new Map<string, Buffer>();
  for (const entry of wanted) files.set(entry.fileName, await collect(await archive.openReadStreamPromise(entry)));
  return files;
};

const collect = async (stream: Readable) => Buffer.concat(await stream.toArray());
