import { createReadStream } from 'node:fs';
import { decodeSheet, NotTextError } from '../../functions/sheets/decode-sheet.ts';
import { resolvePath } from '../command-line/arguments.ts';
import { toFileError } from '../command-line/describe-error.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';

/** Yields the text of a file, piece by piece. `onBytes` receives every byte. */
export async function* decodeFile(file: string, onBytes: (bytes: Buffer) => void = () => {}): AsyncGenerator<string> {
  async function* pieces() {
    for await (const bytes of createReadStream(resolvePath(file)) as AsyncIterable<Buffer>) {
      onBytes(bytes);
      yield bytes;
    }
  }
  try {
    yield* decodeSheet(pieces());
  } catch (error) {
    if (error instanceof NotTextError) {
      const message = `${file} is not text in UTF-8 or UTF-16. Save it in UTF-8, and try again.`;
      throw new CommandError(message, exitCodes.usage);
    }
    throw isSystemError(error) ? toFileError(file, error) : error;
  }
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'code' in error;
