import type { StoredCall } from '../store/calls/call-records.ts';

/** A file of calls that is being written in memory. */
export type ExportFile = {
  /** The bytes that are written so far, about. */
  readonly bytes: number;
  /** The bytes that are written and not taken. */
  readonly pending: number;
  add(calls: StoredCall['call'][]): Promise<void>;
  /** Returns the bytes that are not taken yet, and forgets them. */
  take(): Uint8Array;
  /** Ends the file, and returns the rest of it. */
  finish(): Promise<Uint8Array>;
};

/** Returns a file of text. */
export const createTextFile = (head: string, format: (call: StoredCall['call']) => string): ExportFile => {
  let parts = [Buffer.from(head)];
  let pending = parts[0]?.length ?? 0;
  let taken = 0;
  const take = () => {
    const bytes = Buffer.concat(parts);
    taken += pending;
    parts = [];
    pending = 0;
    return bytes;
  };
  return {
    get bytes() {
      return taken + pending;
    },
    get pending() {
      return pending;
    },
    async add(calls) {
      const part = Buffer.from(calls.map(format).join(''));
      parts.push(part);
      pending += part.length;
    },
    take,
    async finish() {
      return take();
    },
  };
};
