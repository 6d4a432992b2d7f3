import { robotsFilter } from '../../functions/crawling/robots.ts';
import { runInWorker } from '../../functions/extraction/sandboxed-worker.ts';

/** Judges URLs by a robots.txt within 6 seconds, of which the worst takes half a second on an idle machine, and 64 MB. */
export const robotsJudge = runInWorker(
  'judgeRobots',
  import.meta.url,
  ({ robots, urls }: { robots: string; urls: string[] }) => {
    const isAllowed = robotsFilter(robots, 'VoiceAgentPlatformBot');
    return urls.map((url) => isAllowed(new URL(url)));
  },
  { timeoutSeconds: 6, heapMegabytes: 64 },
);
