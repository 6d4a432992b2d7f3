import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { withoutControlCharacters } from './text.ts';

/** A file of a multipart form. Two files are equal when these fields are; the bytes are compared by their hash. */
export class UploadedFile {
  /** The name as sent, without control characters. It is never used as a path. */
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
  readonly #bytes: Uint8Array;

  constructor(name: string, bytes: Uint8Array) {
    this.name = withoutControlCharacters(name);
    this.size = bytes.length;
    this.sha256 = createHash('sha256').update(bytes).digest('base64url');
    this.#bytes = bytes;
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }
}

/** The schema of a file in a form. */
export const FormFile = z
  .instanceof(UploadedFile)
  .check(z.meta({ description: 'A file, with its name.', type: 'string', format: 'binary', examples: ['…'] }));
