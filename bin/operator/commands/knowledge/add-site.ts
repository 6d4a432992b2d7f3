import { limits } from '../../../../functions/domain/limits.ts';
import { SourceName } from '../../../../functions/domain/sources.ts';
import { StartUrl } from '../../../../functions/domain/websites.ts';
import { as, wholeNumber } from '../../../command-line/arguments.ts';
import { dataOf } from '../../../command-line/data-of.ts';
import { print } from '../../../command-line/output.ts';
import { knowledgeCommand, withKnowledge } from '../../knowledge/command.ts';
import { waitForCrawl } from '../../knowledge/wait-for-crawl.ts';
import type { Group } from '../../program.ts';

export const addSite = (knowledge: Group) =>
  knowledgeCommand(knowledge, 'add-site', 'Add a website, and wait until it is crawled', [
    'https://www.example.com/ --agent-id front-desk',
    'https://www.example.com/help/ --agent-id front-desk --limit 10 --max-depth 2 --include ^/help/',
  ])
    .argument('<url>', 'the page at which the crawl starts', as(StartUrl))
    .option('--name <name>', 'a display name (default: the host)', as(SourceName))
    .option('--limit <pages>', `maximum number of pages, up to ${limits.crawlPages}`, wholeNumber(1, 1_000_000))
    .option('--max-depth <links>', `maximum number of link hops, up to ${limits.crawlDepth}`, wholeNumber(1, 1_000_000))
    .option('--include <patterns...>', 'crawl only pages whose path matches one of these regular expressions')
    .option('--exclude <patterns...>', 'skip pages whose path matches one of these regular expressions')
    .option('--refresh-every <days>', 'crawl it again every so many days', wholeNumber(1, limits.refreshDays))
    .option('--no-wait', 'do not wait until the crawl has ended')
    .action(async (url, _, command) => {
      const options = command.optsWithGlobals();
      const { name, limit, maxDepth, include, exclude, refreshEvery } = options;
      await withKnowledge(options, async (service, stop) => {
        const { api, uid, agentId } = service;
        const { websiteId, status } = dataOf(
          await api.websites.add({
            ...{ uid, agentId, url, name, limit, maxDepth, refreshEvery },
            ...{ includePaths: include, excludePaths: exclude },
          }),
        );
        if (options.wait) return waitForCrawl(options, service, websiteId, stop);
        print(options, { agentId, websiteId, status }, () => `Website ${websiteId} added. The crawl continues.`);
      });
    });
