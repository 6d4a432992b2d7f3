import { createReadStream } from 'node:fs';

/** A line of a file: its number from 1, its bytes unless it is too long, and the offset of the next line. */
export type Line = { number: number; bytes: Buffer | undefined; end: number };

/**
 * Yields the lines of a file after a position. Holds one line in memory, and nothing of a line longer than `maxBytes`:
 * a file without line breaks needs no more memory than any other.
 */
export async function* linesAfter(
  file: string,
  position: { number: number; end: number },
  maxBytes: number,
): AsyncGenerator<Line> {
  let { number, end } = position;
  let parts: Buffer[] = [];
  let bytes = 0;
  const take = (part: Buffer) => {
    bytes += part.length;
    if (bytes <= maxBytes) parts.push(part);
    else parts = [];
  };
  const line = (breakBytes: number): Line => {
    number += 1;
    end += bytes + breakBytes;
    const whole = bytes <= maxBytes ? Buffer.concat(parts) : undefined;
    parts = [];
    bytes = 0;
    return { number, bytes: whole, end };
  };
  for await (const chunk of createReadStream(file, { start: end }) as AsyncIterable<Buffer>) {
    let begin = 0;
    for (let at = chunk.indexOf('\n'); at !== -1; at = chunk.indexOf('\n', begin)) {
      take(chunk.subarray(begin, at));
      yield line(1);
      begin = at + 1;
    }
    take(chunk.subarray(begin));
  }
  if (bytes > 0) yield line(0);
}
