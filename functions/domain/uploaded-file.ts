import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { withoutControlCharacters } from './text.ts';

/** A file of a multipart form. What two files are compared by are these fields: its bytes count by their hash. */
export class UploadedFile {
  /** As it was sent without control characters, and never a path. */
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

/** A file of a form, as its schema says it. */
export const FormFile = z
  .instanceof(UploadedFile)
  .check(z.meta({ description: 'A file, with its name.', type: 'string', format: 'binary', examples: ['…'] }));
