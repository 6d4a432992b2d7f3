/** The time that a process took, and its peak memory. */
export type Used = { milliseconds: number; megabytes: number };

export const usedSince = (): (() => Used) => {
  const begin = performance.now();
  return () => ({
    milliseconds: performance.now() - begin,
    megabytes: process.resourceUsage().maxRSS / 1024,
  });
};
