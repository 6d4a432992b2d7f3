/** What a process has used since a time, and the most memory that it has had at all. */
export type Used = { milliseconds: number; cpuMilliseconds: number; megabytes: number };

export const usedSince = (): (() => Used) => {
  const [begin, cpu] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return {
      milliseconds: performance.now() - begin,
      cpuMilliseconds: (user + system) / 1000,
      megabytes: process.resourceUsage().maxRSS / 1024,
    };
  };
};
