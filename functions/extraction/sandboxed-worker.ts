import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** Why confined work was given up: it took too much of something, or its thread died. */
export class WorkerAbortedError extends Error {
  override readonly name = 'GivenUp';
  readonly reason: 'time' | 'memory' | 'crash';

  constructor(reason: 'time' | 'memory' | 'crash', cause?: unknown) {
    super(`Confined work was given up: ${reason}.`, { cause });
    this.reason = reason;
  }
}

type Answer<Output> = { output: Output } | { error: { name: string; message: string } };

/** Work that runs in a thread of its own, which can be ended from outside whatever it is doing. */
export type Confined<Input, Output> = {
  /** Runs the work, one input after the other. Throws `GivenUp`, or an error with the name and message of what the work threw. */
  run(input: Input, transfer?: ArrayBuffer[]): Promise<Output>;
  /** Ends the thread, if there is one; the next run starts another. */
  close(): Promise<void>;
};

/** What one input may take. The heap's bound does not count buffers, such as those that data is inflated into. */
export type Most = { seconds: number; heapMegabytes: number; bufferMegabytes?: number };

/**
 * Confines work on what strangers made, such as parsing, to a thread with a bounded heap and a deadline for each input.
 * The thread loads the module that confines the work (`import.meta.url`; of a bundle, the bundle), and finds the work
 * there by its name. In the main thread nothing happens until the first run.
 */
export const runInWorker = <Input, Output>(
  name: string,
  module: string,
  work: (input: Input) => Output | Promise<Output>,
  most: Most,
): Confined<Input, Output> => {
  if (!isMainThread && isFor(workerData, name)) serve(work);
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const close = async () => {
    const ended = worker?.terminate();
    worker = undefined;
    await ended;
  };

  const runNow = async (input: Input, transfer: ArrayBuffer[]): Promise<Output> => {
    worker ??= start(name, module, most.heapMegabytes, (ended) => {
      if (worker === ended) worker = undefined;
    });
    const current = worker;
    const { promise, resolve, reject } = Promise.withResolvers<Answer<Output>>();
    const died = (cause?: unknown) => reject(new WorkerAbortedError(isOutOfMemory(cause) ? 'memory' : 'crash', cause));
    const timer = setTimeout(() => reject(new WorkerAbortedError('time')), most.seconds * 1000);
    const watch =
      most.bufferMegabytes &&
      watchBuffers(current, most.bufferMegabytes, () => reject(new WorkerAbortedError('memory')));
    current.ref();
    current.once('message', resolve).once('error', died).once('exit', died);
    try {
      current.postMessage(input, transfer);
      const answer = await promise;
      if ('output' in answer) return answer.output;
      throw Object.assign(new Error(answer.error.message), { name: answer.error.name });
    } catch (error) {
      if (error instanceof WorkerAbortedError) await close();
      throw error;
    } finally {
      clearTimeout(timer);
      clearInterval(watch);
      current.off('message', resolve).off('error', died).off('exit', died);
      // A thread that waits holds no process.
      current.unref();
    }
  };

  return {
    run(input, transfer = []) {
      const result = last.then(() => runNow(input, transfer));
      last = result.catch(() => {});
      return result;
    },
    close,
  };
};

const watchBuffers = (worker: Worker, mostMegabytes: number, onMore: () => void) =>
  setInterval(async () => {
    // A thread that has only just begun, or ended, has no statistics.
    const statistics = await worker.getHeapStatistics().catch(() => undefined);
    if (statistics && statistics.external_memory > mostMegabytes * 1024 * 1024) onMore();
  }, 25);

const start = (
  name: string,
  module: string,
  maxOldGenerationSizeMb: number,
  onEnd: (worker: Worker) => void,
): Worker => {
  const worker = new Worker(new URL(module), {
    workerData: { confined: name },
    resourceLimits: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb: 12 },
    env: {},
  });
  worker.once('exit', () => onEnd(worker));
  // An error may be on its way from a thread that nobody waits for any more.
  worker.on('error', () => {});
  return worker;
};

/** In the thread: answers each input with what the work makes of it. */
const serve = <Input, Output>(work: (input: Input) => Output | Promise<Output>) => {
  parentPort?.on('message', async (input: Input) => {
    const answer = await attempt(work, input);
    parentPort?.postMessage(answer, 'output' in answer ? buffersIn(answer.output) : []);
  });
};

/** The buffers that parts of an output have to themselves: they go over without being copied. */
const buffersIn = (value: unknown): ArrayBuffer[] => {
  if (value instanceof Uint8Array) {
    return value.byteLength === value.buffer.byteLength ? [value.buffer as ArrayBuffer] : [];
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(buffersIn) : [];
};

const attempt = async <Input, Output>(
  work: (input: Input) => Output | Promise<Output>,
  input: Input,
): Promise<Answer<Output>> => {
  try {
    return { output: await work(input) };
  } catch (error) {
    const { name, message } = error as Error;
    return { error: { name, message } };
  }
};

const isFor = (data: unknown, name: string) => (data as { confined?: string } | null)?.confined === name;

const isOutOfMemory = (cause: unknown) =>
  cause instanceof Error && (cause as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
