/** Returns the value of a header by its name; an empty one if there is none. */
export type ReadHeader = (name: string) => string;

/** Returns a reader of headers, each of which may continue in lines that begin with a space. */
export const readHeaders = (headers: string): ReadHeader => {
  const lines = headers.replace(/\r?\n[ \t]+/g, ' ');
  return (name) => new RegExp(`^${name}:[ \\t]*(.*)$`, 'im').exec(lines)?.[1]?.trim() ?? '';
};

/** Returns a reader of the headers of a message in MIME format, such as an email; undefined for any other file. */
export const readMessageHeaders = (bytes: Buffer): ReadHeader | undefined => {
  const [headers = ''] = bytes.toString('latin1', 0, 8192).split(/\r?\n\r?\n/, 1);
  const read = readHeaders(headers);
  return /^[\w-]+:/.test(headers) && read('mime-version') ? read : undefined;
};
