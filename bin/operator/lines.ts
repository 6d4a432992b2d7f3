import { createReadStream } from 'node:fs';

/** A line of a file: its number from 1, its bytes unless it is too long, and the offset at which the next one begins. */
export type Line = { number: number; bytes: Buffer | undefined; end: number };

/**
 * The lines of a file after a place in it. Only one line is held at a time, and of one longer than `longestBytes`
 * nothing: a file without any line break costs no more memory than another.
 */
export async function* linesAfter(
  file: string,
  place: { number: number; end: number },
  longestBytes: number,
): AsyncGenerator<Line> {
  let { number, end } = place;
  let parts: Buffer[] = [];
  let bytes = 0;
  const take = (part: Buffer) => {
    bytes += part.length;
    if (bytes <= longestBytes) parts.push(part);
    else parts = [];
  };
  const line = (breakBytes: number): Line => {
    number += 1;
    end += bytes + breakBytes;
    const whole = bytes <= longestBytes ? Buffer.concat(parts) : undefined;
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
