import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { resolvePath } from './arguments.ts';
import { toFileError } from './describe-error.ts';

/** Yields an object as one line of JSON. Its last field is an array, whose items are read on demand. */
export async function* streamJson(fields: object, name: string, items: AsyncIterable<unknown>): AsyncGenerator<string> {
  const head = JSON.stringify({ ...fields, [name]: [] }).slice(0, -2);
  let separator = head;
  for await (const item of items) {
    yield `${separator}${JSON.stringify(item)}`;
    separator = ',';
  }
  yield `${separator === head ? head : ''}]}\n`;
}

/**
 * Writes text or bytes to a file, or to standard output when there is none. The file gets its name only when it is complete, so
 * that an interrupted command leaves no partial file.
 */
export const writeOutput = async (
  file: string | undefined,
  text: Iterable<string | Uint8Array> | AsyncIterable<string>,
): Promise<void> => {
  if (file === undefined) {
    // A pipeline that does not end standard output leaves listeners on it.
    for await (const piece of text) if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
    return;
  }
  const path = resolvePath(file);
  const part = `${path}.part`;
  try {
    await pipeline(Readable.from(text), createWriteStream(part));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    const { code, syscall } = error as NodeJS.ErrnoException;
    throw code && syscall ? toFileError(file, { code }) : error;
  }
};
