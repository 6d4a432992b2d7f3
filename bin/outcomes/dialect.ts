import { open } from 'node:fs/promises';
import { pathOf } from '../command-line/arguments.ts';
import { describeFileError } from '../command-line/describe-error.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';

/** The format of a file. Results are written in the same format, so that the program that made the file can open them. */
export type Dialect = {
  encoding: 'utf-8' | 'utf-16le';
  /** The file begins with a byte-order mark. */
  hasMark: boolean;
  lineBreak: '\n' | '\r\n';
  /** Separates the cells of a CSV file. */
  delimiter: ',' | ';' | '\t';
};

const headBytes = 64 * 1024;

/** Reads the dialect of a file from its first line. */
export const dialectOf = async (file: string): Promise<Dialect> => {
  try {
    await using handle = await open(pathOf(file));
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    const bytes = buffer.subarray(0, bytesRead);
    const encoding = encodingOf(bytes);
    const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
    const [head = ''] = text.split('\n', 1);
    return {
      encoding,
      hasMark: text.startsWith('\ufeff'),
      lineBreak: head.endsWith('\r') ? '\r\n' : '\n',
      delimiter: delimiterOf(head),
    };
  } catch (error) {
    throw new CommandError(describeFileError(file, error as NodeJS.ErrnoException), exitCodes.usage);
  }
};

/** Spreadsheets write UTF-16 ("Unicode text") with a byte-order mark. */
export const encodingOf = (bytes: Buffer): Dialect['encoding'] =>
  bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';

export const delimiterOf = (head: string) => {
  const count = (delimiter: string) => head.split(delimiter).length;
  return ([',', ';', '\t'] as const).reduce((most, delimiter) => (count(delimiter) > count(most) ? delimiter : most));
};
