import { randomUUID } from 'node:crypto';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { Identifier } from '../../functions/domain/identifiers.ts';
import { limits } from '../../functions/domain/limits.ts';
import { SourceName } from '../../functions/domain/sources.ts';
import { StartUrl } from '../../functions/domain/websites.ts';
import { type DocumentSummary, documentsOf, settled, type WebsiteSummary, websitesOf } from './knowledge-sources.ts';
import { columns, print, record, say } from './output.ts';
import { examples, type Operator } from './program.ts';
import { as } from './read.ts';
import { refusedBy, type Service, withService } from './service.ts';
import { upload } from './upload.ts';
import { displayOf } from './upload-display.ts';
import { UsageError } from './usage-error.ts';

const access = `
It goes by the service's own HTTP interface, as everybody does. The key for it is one that is made for this command, on the
table it works on, and deleted when it ends; --uid says for which user, if not for the agent's owner. Or set VAP_API_KEY: then
the table is not needed, --uid is the key's user, and the address is --base-url or VAP_BASE_URL.
`;

const address = (value: string) => {
  const url = URL.parse(value);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new InvalidArgumentError('It must be an address such as https://api.example.com.');
  }
  return value.replace(/\/+$/, '');
};

const wholeNumber = (value: string) => {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(value);
};

export const addKnowledgeCommands = (program: Operator) => {
  const knowledge = program
    .command('knowledge')
    .description('Websites and documents from which an agent answers')
    .addHelpText(
      'after',
      examples(
        'knowledge add-site https://www.example.com/ --agent-id front-desk',
        'knowledge upload handbook.pdf prices.docx --agent-id front-desk',
        'knowledge list --agent-id front-desk',
      ),
    );

  const commandOf = (name: string, description: string) =>
    knowledge
      .command(name)
      .description(description)
      .requiredOption('--agent-id <id>', 'the agent', as(Identifier))
      .option('--uid <uid>', 'the user on whose behalf; by default the agent’s owner', as(Identifier))
      .option(
        '--base-url <address>',
        'where the service is; by default as the local run or the --stack tells',
        address,
      );

  commandOf('add-site', 'Add a website, and tell what its crawl brought')
    .argument('<url>', 'the page from which the crawl starts', as(StartUrl))
    .option('--name <name>', 'its name; by default its host’s', as(SourceName))
    .option('--limit <pages>', `how many pages are read, at most ${limits.crawlPages}`, wholeNumber)
    .option('--max-depth <links>', `how many links a page may be away, at most ${limits.crawlDepth}`, wholeNumber)
    .option('--include <patterns...>', 'read only pages whose path one of these regular expressions matches')
    .option('--exclude <patterns...>', 'read no page whose path one of these regular expressions matches')
    .option('--no-wait', 'do not wait until the crawl has ended')
    .addHelpText(
      'after',
      `${access}${examples(
        'knowledge add-site https://www.example.com/ --agent-id front-desk',
        'knowledge add-site https://www.example.com/help/ --agent-id front-desk --limit 10 --max-depth 2 --include ^/help/',
      )}`,
    )
    .action(async (url, _, command) => {
      const options = command.optsWithGlobals();
      const { name, limit, maxDepth, include, exclude } = options;
      const stop = stopSignal();
      await withService(options, stop, async (service) => {
        const { api, uid, agentId } = service;
        const controls = { limit, maxDepth, includePaths: include, excludePaths: exclude };
        const added = await api.POST('/agent-websites', {
          params: { header: { 'Idempotency-Key': randomUUID() } },
          body: { uid, agentId, url, name, ...controls },
        });
        if (!added.data) throw refusedBy(added.response, added.error);
        const { websiteId, status } = added.data;
        if (!options.wait) {
          return print(options, { agentId, websiteId, status }, () => `Website ${websiteId} added. Its crawl goes on.`);
        }
        say(`Website ${websiteId} added: it is being read.`);
        const { found, fault } = await settled(() => websitesOf(service), [websiteId], stop);
        const site = found.get(websiteId);
        if (!site || fault) throw new UsageError(`${fault ?? `Website ${websiteId} was deleted meanwhile.`}`);
        const { content: _content, contentMD: _contentMD, ...told } = site;
        print(options, told, () => textOfSite(site));
        if (site.status === 'failed') process.exitCode = 1;
      });
    });

  commandOf('upload', 'Upload documents, and tell what became of each')
    .argument('<files...>', 'PDF, Word (.docx), text or Markdown, of at most 10 MB each')
    .option('--no-wait', 'do not wait until the texts are extracted')
    .addHelpText(
      'after',
      `
Small files go together in one request, larger ones each by a form. A file that is not taken, or cannot be read, is
told and the others go on; the exit code is then 1.
${access}${examples(
  'knowledge upload handbook.pdf prices.docx --agent-id front-desk',
  '--stack voice-agents-prod knowledge upload *.pdf --agent-id front-desk --no-wait',
)}`,
    )
    .action(async (files, _, command) => {
      const options = command.optsWithGlobals();
      const stop = stopSignal();
      await withService(options, stop, async (service) => {
        const display = displayOf(files.length, options.wait);
        const { outcomes, fault } = await upload(service, files, options.wait, stop, display).finally(() =>
          display.end(),
        );
        const count = (status: string) => outcomes.filter((outcome) => outcome.status === status).length;
        const done = count(options.wait ? 'ready' : 'sent');
        print(options, { agentId: service.agentId, files: outcomes }, () =>
          columns(
            outcomes.map(({ file, status, documentId, error }) => [file, status, documentId, error]),
            ['FILE', 'STATUS', 'DOCUMENT', 'WHY'],
          ),
        );
        if (fault) throw new UsageError(fault);
        if (done < files.length) process.exitCode = 1;
      });
    });

  commandOf('list', 'List an agent’s websites and documents, and how far each has come')
    .addHelpText(
      'after',
      `${access}${examples('knowledge list --agent-id front-desk', '--stack voice-agents-prod knowledge list --agent-id front-desk --json')}`,
    )
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      await withService(options, stopSignal(), async (service) => {
        const [websites, documents] = await Promise.all([websitesOf(service), documentsOf(service)]);
        print(options, { agentId: service.agentId, websites, documents }, () =>
          textOfList(service, websites, documents),
        );
      });
    });
};

/** Ends what is under way once the operator wants it to end; asked a second time, the process itself. */
const stopSignal = (): AbortSignal => {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => stop.abort(new UsageError('Stopped.')));
  }
  return stop.signal;
};

const textOfSite = ({ id, name, url, status, error, pages, failedPages }: WebsiteSummary) => {
  const head = record({ website: id, name, url, status, why: error, pages });
  if (failedPages.length === 0) return head;
  return `${head}\n\n${columns(
    failedPages.map((page) => [page.url, page.reason]),
    ['PAGE NOT READ', 'WHY'],
  )}`;
};

const textOfList = ({ agentId }: Service, websites: WebsiteSummary[], documents: DocumentSummary[]) => {
  const switched = ({ active }: { active: boolean }) => (active ? 'on' : 'off');
  const parts: string[] = [];
  if (websites.length > 0) {
    parts.push(
      columns(
        websites.map((site) => [
          site.id,
          site.url,
          site.status,
          switched(site),
          `${site.pages}`,
          site.failedPages.length,
          site.error,
        ]),
        ['WEBSITE', 'URL', 'STATUS', 'SWITCHED', 'PAGES', 'NOT READ', 'WHY'],
      ),
    );
  }
  if (documents.length > 0) {
    parts.push(
      columns(
        documents.map((one) => [one.id, one.name, one.status, switched(one), one.size.toLocaleString('en'), one.error]),
        ['DOCUMENT', 'NAME', 'STATUS', 'SWITCHED', 'BYTES', 'WHY'],
      ),
    );
  }
  return parts.join('\n\n') || `Agent ${agentId} has no websites and no documents.`;
};
