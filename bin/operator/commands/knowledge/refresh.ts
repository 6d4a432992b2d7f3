import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { as } from '../../../command-line/arguments.ts';
import { dataOf } from '../../../command-line/data-of.ts';
import { print } from '../../../command-line/output.ts';
import { knowledgeCommand, withKnowledge } from '../../knowledge/command.ts';
import { waitForCrawl } from '../../knowledge/wait-for-crawl.ts';
import type { Group } from '../../program.ts';

export const refreshSite = (knowledge: Group) =>
  knowledgeCommand(knowledge, 'refresh', 'Crawl a website again, and wait for the result', [
    'web_01KA… --agent-id front-desk',
  ])
    .argument('<websiteId>', 'the website', as(Identifier))
    .option('--no-wait', 'do not wait until the crawl has ended')
    .action(async (websiteId, _, command) => {
      const options = command.optsWithGlobals();
      await withKnowledge(options, async (service, stop) => {
        const { api, uid, agentId } = service;
        const { status } = dataOf(await api.websites.refresh({ uid, agentId, websiteId }));
        if (options.wait) return waitForCrawl(options, service, websiteId, stop);
        print(options, { agentId, websiteId, status }, () => `The crawl of website ${websiteId} has started.`);
      });
    });
