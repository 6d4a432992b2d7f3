import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A request that went through the proxy: when it came, and when its answer left, in milliseconds of one clock. */
export type Seen = { service: string; operation: string; begin: number; end: number };

export type CountingProxy<Service extends string> = {
  endpoints: Record<Service, string>;
  /** What every request takes longer, each way. */
  delay(milliseconds: number): void;
  /** Whether inserts into the table are answered by the proxy, which remembers their keys: a table that takes what it is given. */
  insertHere(isHere: boolean): void;
  /** What went through since it was last asked. */
  take(): Promise<Seen[]>;
  stop(): Promise<void>;
};

/** A loopback proxy: it stands before each service, makes every request take longer, and counts them. */
export const startProxy = async <Service extends string>(
  services: Record<Service, string>,
): Promise<CountingProxy<Service>> => {
  const worker = new Worker(new URL('./proxy-worker.ts', import.meta.url), { workerData: services });
  const [endpoints] = (await once(worker, 'message')) as [Record<Service, string>];
  return {
    endpoints,
    delay: (delayMilliseconds) => worker.postMessage({ delayMilliseconds }),
    insertHere: (insertsHere) => worker.postMessage({ insertsHere }),
    async take() {
      const answer = once(worker, 'message');
      worker.postMessage('take');
      return (await answer)[0] as Seen[];
    },
    async stop() {
      await worker.terminate();
    },
  };
};

/** How many requests waited for one another: the longest chain in which each came after the one before was answered. */
export const sequentialDepth = (seen: Seen[]): number => {
  let depth = 0;
  let free = Number.NEGATIVE_INFINITY;
  for (const { begin, end } of seen.toSorted((a, b) => a.end - b.end)) {
    if (begin < free) continue;
    depth += 1;
    free = end;
  }
  return depth;
};
