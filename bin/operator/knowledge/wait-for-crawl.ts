import { CommandError, exitCodes } from '../../command-line/exit-codes.ts';
import { print, say } from '../../command-line/output.ts';
import type { Service, ServiceOptions } from '../service.ts';
import { describeSource, withoutText } from './describe-source.ts';
import { listWebsites, waitForSources } from './sources.ts';

/** Waits until a website has been crawled, and prints it. */
export const waitForCrawl = async (options: ServiceOptions, service: Service, websiteId: string, stop: AbortSignal) => {
  if (!options.json) say(`Website ${websiteId} is being crawled …`);
  const { found, problem } = await waitForSources(() => listWebsites(service), [websiteId], stop);
  const website = found.get(websiteId);
  if (!website || problem) {
    throw new CommandError(
      problem ?? `Website ${websiteId} was deleted in the meantime.`,
      stop.aborted ? exitCodes.unfinished : exitCodes.failed,
    );
  }
  print(options, withoutText(website), () => describeSource({ kind: 'website', record: website }));
  if (website.status === 'failed') throw new CommandError(`The crawl of website ${websiteId} failed.`);
};
