import { afterEach, beforeEach } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    cpuSeconds?: number;
  }
}

/** Adds to each test in the report the CPU seconds of its process, without those of the service. Concurrent tests share theirs. */
const usage = new Map<string, NodeJS.CpuUsage>();
beforeEach(({ task }) => {
  usage.set(task.id, process.cpuUsage());
});
afterEach(({ task }) => {
  const { user, system } = process.cpuUsage(usage.get(task.id));
  task.meta.cpuSeconds = (user + system) / 1e6;
});
