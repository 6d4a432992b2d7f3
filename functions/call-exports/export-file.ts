import type { StoredCall } from '../store/calls/call-records.ts';

/** A file of calls that is being written in memory. */
export type ExportFile = {
  /** The bytes that are written so far, about. */
  readonly bytes: number;
  add(calls: StoredCall['call'][]): Promise<void>;
  /** Ends the file, and returns it. */
  finish(): Promise<Uint8Array>;
};

/** Returns a file of text. */
export const createTextFile = (head: string, format: (call: StoredCall['call']) => string): ExportFile => {
  const parts = [Buffer.from(head)];
  return {
    get bytes() {
      return parts.reduce((sum, { length }) => sum + length, 0);
    },
    async add(calls) {
      parts.push(Buffer.from(calls.map(format).join('')));
    },
    async finish() {
      return Buffer.concat(parts);
    },
  };
};
