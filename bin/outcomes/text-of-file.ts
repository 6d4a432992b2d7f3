import { createReadStream } from 'node:fs';
import { detectUtf } from '../../functions/sheets/text-encoding.ts';
import { resolvePath } from '../command-line/arguments.ts';
import { toFileError } from '../command-line/describe-error.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';

/**
 * Yields the text of a file, piece by piece: UTF-8 with or without a byte-order mark, or UTF-16 as written by Excel ("Unicode
 * text"). `onBytes` receives every byte.
 */
export async function* decodeFile(file: string, onBytes: (bytes: Buffer) => void = () => {}): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let lines = 0;
  try {
    for await (const bytes of createReadStream(resolvePath(file)) as AsyncIterable<Buffer>) {
      onBytes(bytes);
      decoder ??= new TextDecoder(detectUtf(bytes), { fatal: true });
      let text: string;
      try {
        text = decoder.decode(bytes, { stream: true });
      } catch {
        const readable = new TextDecoder(decoder.encoding).decode(bytes).split('\ufffd', 1)[0] as string;
        throw notUtf8(file, lines + countNewlines(readable));
      }
      yield text;
      lines += countNewlines(text);
    }
  } catch (error) {
    throw isSystemError(error) ? toFileError(file, error) : error;
  }
  try {
    yield decoder?.decode() ?? '';
  } catch {
    throw notUtf8(file, lines);
  }
}

const countNewlines = (text: string) => text.split('\n').length - 1;

const notUtf8 = (file: string, linesBefore: number) =>
  new CommandError(
    `${file}:${linesBefore + 1}: this is not UTF-8. Save the file as UTF-8 and try again.`,
    exitCodes.usage,
  );

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'code' in error;
