import { createReadStream } from 'node:fs';
import { InputFileError } from './input-file-error.ts';

/**
 * A file as text, piece by piece. Excel’s “Unicode text” is UTF-16; anything else must be UTF-8, with or without a mark.
 * `onBytes` is shown every byte.
 */
export async function* textOf(file: string, onBytes: (bytes: Buffer) => void): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let lines = 0;
  try {
    for await (const bytes of createReadStream(file) as AsyncIterable<Buffer>) {
      onBytes(bytes);
      decoder ??= new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8', { fatal: true });
      let text: string;
      try {
        text = decoder.decode(bytes, { stream: true });
      } catch {
        const readable = new TextDecoder(decoder.encoding).decode(bytes).split('\ufffd', 1)[0] as string;
        throw notText(file, lines + newlinesIn(readable));
      }
      yield text;
      lines += newlinesIn(text);
    }
  } catch (error) {
    throw isSystemError(error) ? new InputFileError(`${file} cannot be read (${error.code}).`) : error;
  }
  try {
    yield decoder?.decode() ?? '';
  } catch {
    throw notText(file, lines);
  }
}

const newlinesIn = (text: string) => text.split('\n').length - 1;

const notText = (file: string, linesBefore: number) =>
  new InputFileError(`${file}:${linesBefore + 1}: this is not UTF-8. Save the file as UTF-8 and try again.`);

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'code' in error;
