import { setImmediate as nextLoop } from 'node:timers/promises';

/** A source that is always ready yields to timers and sockets after this time. */
const yieldMilliseconds = 20;

/** Passes on the parts of a source until the signal aborts. Then it throws the signal's reason, even while the source hangs. */
export async function* interruptible<Part>(
  start: (signal: AbortSignal) => Promise<AsyncIterable<Part>>,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  const unlessAborted = abortable(signal);
  const source = (await unlessAborted(start(signal)))[Symbol.asyncIterator]();
  let yieldedAt = performance.now();
  for (;;) {
    const { done, value } = await unlessAborted(source.next());
    if (done) return;
    yield value;
    if (performance.now() - yieldedAt > yieldMilliseconds) {
      await nextLoop();
      yieldedAt = performance.now();
    }
  }
}

/** Waits for one promise after another, each until the signal aborts. One listener serves all of the thousands of promises. */
const abortable = (signal: AbortSignal) => {
  let abort = () => {};
  signal.addEventListener('abort', () => abort());
  return <T>(promise: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      abort = () => reject(signal.reason);
      if (signal.aborted) abort();
      promise.then(resolve, reject);
    });
};
