/** What a process has used since a time, and the most memory that it has had at all. */
export type Used = { milliseconds: number; megabytes: number };

export const usedSince = (): (() => Used) => {
  const begin = performance.now();
  return () => ({
    milliseconds: performance.now() - begin,
    megabytes: process.resourceUsage().maxRSS / 1024,
  });
};
