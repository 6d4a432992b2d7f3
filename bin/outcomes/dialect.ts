import { open } from 'node:fs/promises';
import { detectSeparator, type Separator } from '../../functions/sheets/separator.ts';
import { detectUtf, type TextEncoding } from '../../functions/sheets/text-encoding.ts';
import { resolvePath } from '../command-line/arguments.ts';
import { toFileError } from '../command-line/describe-error.ts';

/** The format of a file. Results are written in the same format, so that the program that made the file can open them. */
export type Dialect = {
  encoding: TextEncoding;
  /** The file begins with a byte-order mark. */
  hasMark: boolean;
  lineBreak: '\n' | '\r\n';
  /** Separates the cells of a CSV file. */
  delimiter: Separator;
  /** The first line names the separator. */
  isNamed: boolean;
};

const headBytes = 64 * 1024;

/** Reads the dialect of a file from its first line. */
export const detectDialect = async (file: string): Promise<Dialect> => {
  try {
    await using handle = await open(resolvePath(file));
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    const bytes = buffer.subarray(0, bytesRead);
    const encoding = detectUtf(bytes);
    const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
    const [head = ''] = text.split('\n', 1);
    const { separator, isNamed } = detectSeparator(head);
    return {
      encoding,
      hasMark: text.startsWith('\ufeff'),
      lineBreak: head.endsWith('\r') ? '\r\n' : '\n',
      delimiter: separator,
      isNamed,
    };
  } catch (error) {
    throw toFileError(file, error as NodeJS.ErrnoException);
  }
};
