import { runInWorker, type WorkerLimits } from '../../functions/extraction/sandboxed-worker.ts';

/** The limits of the work. A busy machine takes seconds to fill the heap. */
export const limits: WorkerLimits<string> = { timeoutSeconds: 60, heapMegabytes: 24 };

/** Work that misbehaves in every way that untrusted input can cause. */
export const misbehave = runInWorker(
  'misbehave',
  import.meta.url,
  async (how: string) => {
    switch (how) {
      case 'spin':
        for (;;);
      case 'hoard': {
        const hoard: unknown[] = [];
        for (;;) hoard.push(Array.from({ length: 10_000 }, () => ({})));
      }
      case 'throw':
        throw new TypeError('This is not to its liking.');
      case 'recurse': {
        const deeper = (): number => 1 + deeper();
        return String(deeper());
      }
      case 'environment':
        return JSON.stringify(process.env);
      case 'exit':
        return process.exit(3);
      default:
        return how.toUpperCase();
    }
  },
  limits,
);
