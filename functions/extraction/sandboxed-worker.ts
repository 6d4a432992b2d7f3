import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/**
 * Work that was aborted: it took too much time or memory, or its thread died. Work that takes too much time without taking too
 * much CPU time may have waited for a busy machine.
 */
export class WorkerAbortedError extends Error {
  override readonly name = 'WorkerAbortedError';
  readonly reason: AbortReason;

  constructor(reason: AbortReason, cause?: unknown) {
    super(`The worker was aborted: ${reason}.`, { cause });
    this.reason = reason;
  }
}

type AbortReason = 'time' | 'CPU time' | 'memory' | 'crash';

type Work<Input, Output> = (input: Input, begin: () => void) => Output | Promise<Output>;
type Result<Output> = { output: Output } | { error: { name: string; message: string } };

/** Work in separate threads, which can be terminated from outside at any time. */
export type SandboxedWorker<Input, Output> = {
  /** Runs the work, one input at a time in each thread. Throws `WorkerAbortedError`, or an error with the name and message of what the work threw. */
  run(input: Input, transfer?: ArrayBuffer[]): Promise<Output>;
  /** Terminates the threads that are idle; the next run starts another. */
  close(): Promise<void>;
};

/**
 * The limits for one input. The heap includes garbage, so allow three times the needed memory. Buffers are not part of
 * it.
 */
export type WorkerLimits<Input> = {
  timeoutSeconds: number;
  /**
   * The seconds of CPU time that an input may take from the time when its work begins. What other threads do meanwhile does not
   * count, unlike in the timeout.
   */
  cpuSeconds?: (input: Input) => number;
  heapMegabytes: number;
  bufferMegabytes?: number;
  /** The maximum number of inputs handled at once; 1 by default. A thread starts when its first input arrives. */
  threads?: number;
};

/**
 * Runs work on untrusted input, such as parsing, in a thread with a bounded heap, a timeout for each input and an empty
 * environment. The thread loads the module that calls this function (`import.meta.url`; in a bundle, the bundle itself)
 * and finds the work there by its name. In the main thread nothing happens until the first run. Work that loads libraries
 * calls `begin` once they are loaded.
 */
export const runInWorker = <Input, Output>(
  name: string,
  module: string,
  work: Work<Input, Output>,
  limits: WorkerLimits<Input>,
): SandboxedWorker<Input, Output> => {
  if (!isMainThread && asksForWork(workerData, name)) serve(work);
  const threads = Array.from({ length: limits.threads ?? 1 }, () => createThread<Input, Output>(name, module, limits));
  return {
    run(input, transfer = []) {
      return threads.reduce((best, next) => (next.load() < best.load() ? next : best)).run(input, transfer);
    },
    async close() {
      await Promise.all(threads.filter((thread) => thread.load() === 0).map((thread) => thread.close()));
    },
  };
};

const createThread = <Input, Output>(name: string, module: string, limits: WorkerLimits<Input>) => {
  let worker: Worker | undefined;
  let load = 0;
  let last: Promise<unknown> = Promise.resolve();

  const close = async () => {
    const ended = worker?.terminate();
    worker = undefined;
    await ended;
  };

  const runNow = async (input: Input, transfer: ArrayBuffer[]): Promise<Output> => {
    worker ??= start(name, module, limits.heapMegabytes, (ended) => {
      if (worker === ended) worker = undefined;
    });
    const current = worker;
    const { promise, resolve, reject } = Promise.withResolvers<Result<Output>>();
    const died = (cause?: unknown) => reject(new WorkerAbortedError(isOutOfMemory(cause) ? 'memory' : 'crash', cause));
    const timer = setTimeout(() => reject(new WorkerAbortedError('time')), limits.timeoutSeconds * 1000);
    const cpuSeconds = limits.cpuSeconds?.(input) ?? Number.POSITIVE_INFINITY;
    const watch = watchUse(current, { ...limits, cpuSeconds }, (reason) => reject(new WorkerAbortedError(reason)));
    current.ref();
    const receive = (message: Result<Output> | typeof beginning) => {
      if (message === beginning) watch.begin();
      else resolve(message);
    };
    current.on('message', receive).once('error', died).once('exit', died);
    try {
      current.postMessage(input, transfer);
      const result = await promise;
      if ('output' in result) return result.output;
      throw Object.assign(new Error(result.error.message), { name: result.error.name });
    } catch (error) {
      if (error instanceof WorkerAbortedError) await close();
      throw error;
    } finally {
      clearTimeout(timer);
      watch.end();
      current.off('message', receive).off('error', died).off('exit', died);
      // An idle worker must not keep the process alive.
      current.unref();
    }
  };

  return {
    /** The number of its inputs, running and waiting. */
    load: () => load,
    run(input: Input, transfer: ArrayBuffer[]) {
      load += 1;
      const result = last
        .then(() => runNow(input, transfer))
        .finally(() => {
          load -= 1;
        });
      last = result.catch(() => {});
      return result;
    },
    close,
  };
};

/** A heap that reaches V8's own limit within one allocation ends the whole process, so the thread is ended long before. */
const spareMegabytes = 512;

type Use = { heapMegabytes: number; bufferMegabytes?: number; cpuSeconds: number };

const watchUse = (
  worker: Worker,
  { heapMegabytes, bufferMegabytes = Number.POSITIVE_INFINITY, cpuSeconds }: Use,
  onExceeded: (reason: 'CPU time' | 'memory') => void,
) => {
  let usedBefore: NodeJS.CpuUsage | undefined;
  const timer = setInterval(async () => {
    // A thread that is starting or has ended has no statistics.
    const statistics = await worker.getHeapStatistics().catch(() => undefined);
    const since = usedBefore;
    const used = await worker.cpuUsage?.(since).catch(() => undefined);
    if (!statistics) return;
    const { used_heap_size: heap, external_memory: buffers } = statistics;
    if (heap > heapMegabytes * megabyte || buffers > bufferMegabytes * megabyte) onExceeded('memory');
    // A later look, or the beginning of the work, may have come first.
    if (since !== usedBefore) return;
    if (!since) usedBefore = used;
    else if (used && used.user + used.system > cpuSeconds * 1_000_000) onExceeded('CPU time');
  }, 25);
  const begin = () => {
    usedBefore = undefined;
  };
  return { begin, end: () => clearInterval(timer) };
};

const megabyte = 1024 * 1024;

const start = (name: string, module: string, heapMegabytes: number, onEnd: (worker: Worker) => void): Worker => {
  const worker = new Worker(new URL(module), {
    workerData: { work: name },
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes + spareMegabytes, maxYoungGenerationSizeMb: 12 },
    env: {},
  });
  worker.once('exit', () => onEnd(worker));
  // A terminated thread may still report an error.
  worker.on('error', () => {});
  return worker;
};

/** What the thread posts when the work of an input begins. */
const beginning = 'beginning';

/** Runs in the thread: posts the result of each input. */
const serve = <Input, Output>(work: Work<Input, Output>) => {
  parentPort?.on('message', async (input: Input) => {
    const result = await attempt(work, input);
    parentPort?.postMessage(result, 'output' in result ? collectBuffers(result.output) : []);
  });
};

/** Returns the buffers that an output does not share: they are transferred instead of copied. */
const collectBuffers = (value: unknown): ArrayBuffer[] => {
  if (value instanceof Uint8Array) {
    return value.byteLength === value.buffer.byteLength ? [value.buffer as ArrayBuffer] : [];
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(collectBuffers) : [];
};

const attempt = async <Input, Output>(work: Work<Input, Output>, input: Input): Promise<Result<Output>> => {
  try {
    return { output: await work(input, () => parentPort?.postMessage(beginning)) };
  } catch (error) {
    const { name, message } = error as Error;
    return { error: { name, message } };
  }
};

const asksForWork = (data: unknown, name: string) => (data as { work?: string } | null)?.work === name;

const isOutOfMemory = (cause: unknown) =>
  cause instanceof Error && (cause as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
