import { fileTypeFromBuffer } from 'file-type';

/** The format of a file, by the extension it usually has; undefined for one that is not known, such as text. */
export const formatOf = async (bytes: Uint8Array): Promise<string | undefined> =>
  (await fileTypeFromBuffer(bytes))?.ext;
