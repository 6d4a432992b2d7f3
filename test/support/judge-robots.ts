import { robotsFilter } from '../../functions/crawling/robots.ts';
import { runInWorker } from '../../functions/extraction/sandboxed-worker.ts';

/** Judges URLs by a robots.txt within 2 seconds and 64 MB. */
export const robotsJudge = runInWorker(
  'judgeRobots',
  import.meta.url,
  ({ robots, urls }: { robots: string; urls: string[] }) => {
    const isAllowed = robotsFilter(robots, 'VoiceAgentPlatformBot');
    return urls.map((url) => isAllowed(new URL(url)));
  },
  { timeoutSeconds: 2, heapMegabytes: 64 },
);
