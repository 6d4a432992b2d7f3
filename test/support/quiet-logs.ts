import { afterAll } from 'vitest';

/** Keeps the request log of handlers that run in a test's own process out of the test report. */
const { write } = process.stderr;
process.stderr.write = ((chunk: string | Uint8Array, ...rest: []) =>
  typeof chunk === 'string' && chunk.startsWith('{"time":')
    ? true
    : write.call(process.stderr, chunk, ...rest)) as typeof process.stderr.write;
afterAll(() => {
  process.stderr.write = write;
});
