import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A request that went through the proxy: the times of its arrival and of its response, in milliseconds of one clock. */
export type Seen = { service: string; operation: string; begin: number; end: number };

export type CountingProxy<Service extends string> = {
  endpoints: Record<Service, string>;
  /** Delays every request, each way. */
  delay(milliseconds: number): void;
  /** Returns the requests since the last call. */
  take(): Promise<Seen[]>;
  stop(): Promise<void>;
};

/** Starts a loopback proxy for each service, which delays requests and counts them. */
export const startProxy = async <Service extends string>(
  services: Record<Service, string>,
): Promise<CountingProxy<Service>> => {
  const worker = new Worker(new URL('./proxy-worker.ts', import.meta.url), { workerData: services });
  const [endpoints] = (await once(worker, 'message')) as [Record<Service, string>];
  return {
    endpoints,
    delay: (delayMilliseconds) => worker.postMessage({ delayMilliseconds }),
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

/** Returns the length of the longest chain in which each request came after the response to the one before. */
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
