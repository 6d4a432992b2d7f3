import { vi } from 'vitest';

export type CapturedRun = { code: number | null; stdout: string; stderr: string };

/** Runs a command line in this process with its own environment, and captures its output. */
export const capturedRun = async (
  run: (argv: string[]) => Promise<number>,
  argv: string[],
  environment: NodeJS.ProcessEnv,
): Promise<CapturedRun> => {
  const texts = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text, ...rest) => {
      texts[stream] += text;
      for (const callback of rest) if (typeof callback === 'function') callback();
      return true;
    }),
  );
  const before = process.env;
  process.env = { ...environment };
  try {
    return { code: await run(argv), ...texts };
  } finally {
    process.env = before;
    for (const spy of spies) spy.mockRestore();
  }
};

/** Runs work while timers of this process run thirty times as fast, so that retries wait no seconds. */
export const withFastTimers = async <T>(work: () => Promise<T>): Promise<T> => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], fakeNodeBuiltins: true });
  const clock = setInterval(() => vi.advanceTimersByTime(300), 10);
  try {
    return await work();
  } finally {
    clearInterval(clock);
    vi.useRealTimers();
  }
};
