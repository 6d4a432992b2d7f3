import { fileTypeFromBuffer } from 'file-type';

/** Returns the usual extension of a file's format; undefined for unknown formats and for text. */
export const detectFormat = async (bytes: Uint8Array): Promise<string | undefined> =>
  (await fileTypeFromBuffer(bytes))?.ext;
