/**
 * Returns the longest turn of this thread's event loop while work runs, in milliseconds of its CPU time, so that a busy machine
 * does not count. The caller checks whether the work fails.
 */
export const longestTurn = async (work: Promise<unknown>): Promise<number> => {
  let [longest, before] = [0, process.threadCpuUsage()];
  const turn = () => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
  };
  const timer = setInterval(turn, 20);
  await work.catch(() => {});
  clearInterval(timer);
  turn();
  return longest;
};
