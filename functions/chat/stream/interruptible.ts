import { setImmediate as nextLoop } from 'node:timers/promises';

/** How long a source that is always ready may run before timers and sockets get their turn. */
const yieldMilliseconds = 20;

/** Passes the parts of a source on until the signal aborts. Then it throws the signal's reason, even while the source hangs. */
export async function* interruptible<Part>(
  start: (signal: AbortSignal) => Promise<AsyncIterable<Part>>,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  const source = (await abortable(start(signal), signal))[Symbol.asyncIterator]();
  let yieldedAt = performance.now();
  for (;;) {
    const { done, value } = await abortable(source.next(), signal);
    if (done) return;
    yield value;
    if (performance.now() - yieldedAt > yieldMilliseconds) {
      await nextLoop();
      yieldedAt = performance.now();
    }
  }
}

const abortable = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
