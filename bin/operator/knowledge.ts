import { randomUUID } from 'node:crypto';
import { Option } from '@commander-js/extra-typings';
import { Identifier } from '../../functions/domain/identifiers.ts';
import { limits } from '../../functions/domain/limits.ts';
import { SourceName } from '../../functions/domain/sources.ts';
import { StartUrl } from '../../functions/domain/websites.ts';
import { as, baseUrl, wholeNumber } from '../command-line/arguments.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { interruption } from '../command-line/interruption.ts';
import { columns, count, print, record, say } from '../command-line/output.ts';
import { writeOutput } from '../command-line/output-file.ts';
import { addIndexCommand } from './knowledge-index.ts';
import {
  type DocumentSummary,
  deleteSource,
  existingSource,
  listDocuments,
  listWebsites,
  readText,
  type Source,
  type SourceSummary,
  updateSource,
  type WebsiteSummary,
  waitForSources,
} from './knowledge-sources.ts';
import { examples, type Operator } from './program.ts';
import { dataOf, type Service, type ServiceOptions, withService } from './service.ts';
import { upload } from './upload.ts';
import { uploadDisplay } from './upload-display.ts';

const accessHelp = `
This command uses the HTTP API with a temporary API key of the agent's owner (or --uid), which is deleted at the end.
With VAP_API_KEY set, it uses that key and needs no table: --uid is the user of the key, and --base-url or VAP_BASE_URL
the address.
`;

export const addKnowledgeCommands = (program: Operator) => {
  const knowledge = program.command('knowledge').description('Websites and documents that agents answer from');

  addIndexCommand(knowledge);

  const commandOf = (name: string, description: string, lines: string[]) =>
    knowledge
      .command(name)
      .description(description)
      .requiredOption('--agent-id <id>', 'the agent', as(Identifier))
      .option('--uid <uid>', "a user with access to the agent (default: the agent's owner)", as(Identifier))
      .option('--base-url <address>', 'the address of the service (default: of the local run or the --stack)', baseUrl)
      .addHelpText('after', `${accessHelp}${examples(...lines.map((line) => `knowledge ${name} ${line}`))}`);

  commandOf('add-site', 'Add a website, and wait until it is crawled', [
    'https://www.example.com/ --agent-id front-desk',
    'https://www.example.com/help/ --agent-id front-desk --limit 10 --max-depth 2 --include ^/help/',
  ])
    .argument('<url>', 'the page at which the crawl starts', as(StartUrl))
    .option('--name <name>', 'a display name (default: the host)', as(SourceName))
    .option('--limit <pages>', `maximum number of pages, up to ${limits.crawlPages}`, wholeNumber(1, 1_000_000))
    .option('--max-depth <links>', `maximum number of link hops, up to ${limits.crawlDepth}`, wholeNumber(1, 1_000_000))
    .option('--include <patterns...>', 'crawl only pages whose path matches one of these regular expressions')
    .option('--exclude <patterns...>', 'skip pages whose path matches one of these regular expressions')
    .option('--no-wait', 'do not wait until the crawl has ended')
    .action(async (url, _, command) => {
      const options = command.optsWithGlobals();
      const { name, limit, maxDepth, include, exclude } = options;
      await withInterruption(options, async (service, stop) => {
        const { api, uid, agentId } = service;
        const { websiteId, status } = dataOf(
          await api.POST('/agent-websites', {
            params: { header: { 'Idempotency-Key': randomUUID() } },
            body: { uid, agentId, url, name, limit, maxDepth, includePaths: include, excludePaths: exclude },
          }),
        );
        if (options.wait) return waitForCrawl(options, service, websiteId, stop);
        print(options, { agentId, websiteId, status }, () => `Website ${websiteId} added. The crawl continues.`);
      });
    });

  commandOf('upload', 'Upload documents, and wait until their text is extracted', [
    'handbook.pdf prices.docx --agent-id front-desk',
    '*.pdf --agent-id front-desk --no-wait --stack voice-agents-prod',
  ])
    .argument('<files...>', 'PDF, Word (.docx), text or Markdown, up to 10 MB each')
    .option('--no-wait', 'do not wait until the texts are extracted')
    .action(async (files, _, command) => {
      const options = command.optsWithGlobals();
      await withInterruption(options, async (service, stop) => {
        const display = uploadDisplay(files.length, options.wait);
        const { results, problem } = await upload(service, files, options.wait, stop, display).finally(() =>
          display.end(),
        );
        const done = results.filter(({ status }) => status === (options.wait ? 'ready' : 'sent')).length;
        print(options, { agentId: service.agentId, files: results }, () =>
          columns(
            results.map(({ file, status, documentId, error }) => [file, status, documentId, error]),
            ['FILE', 'STATUS', 'DOCUMENT', 'ERROR'],
          ),
        );
        if (problem) throw new CommandError(problem, stop.aborted ? exitCodes.unfinished : exitCodes.failed);
        if (done < files.length) throw new CommandError(`${count(files.length - done, 'file')} failed.`);
      });
    });

  commandOf('list', 'List the websites and documents of an agent with their status', [
    '--agent-id front-desk',
    '--agent-id front-desk --json --stack voice-agents-prod',
  ]).action(async (_, command) => {
    const options = command.optsWithGlobals();
    await withInterruption(options, async (service) => {
      const [websites, documents] = await Promise.all([listWebsites(service), listDocuments(service)]);
      print(options, { agentId: service.agentId, websites, documents }, () =>
        describeList(service, websites, documents),
      );
    });
  });

  commandOf('show', 'Show a website or document', ['web_01KA… --agent-id front-desk'])
    .argument('<id>', 'the website or document', as(Identifier))
    .action(async (id, _, command) => {
      const options = command.optsWithGlobals();
      await withInterruption(options, async (service) => {
        const source = await existingSource(service, id);
        print(options, withoutText(source.record), () => describeSource(source));
      });
    });

  commandOf('update', 'Rename, enable or disable a website or document', [
    'web_01KA… --agent-id front-desk --name "Help pages"',
    'doc_01KA… --agent-id front-desk --disable',
  ])
    .argument('<id>', 'the website or document', as(Identifier))
    .option('--name <name>', 'a new display name', as(SourceName))
    .option('--enable', 'let the agent answer from it')
    .option('--disable', 'keep it, but do not let the agent answer from it')
    .action(async (id, _, command) => {
      const options = command.optsWithGlobals();
      const { name, enable = false, disable = false } = options;
      if (enable && disable) throw new CommandError('Use either --enable or --disable.', exitCodes.usage);
      if (name === undefined && !enable && !disable) {
        throw new CommandError('Nothing to change. Use --name, --enable or --disable.', exitCodes.usage);
      }
      const change = { ...(name !== undefined && { name }), ...((enable || disable) && { active: enable }) };
      await withInterruption(options, async (service) => {
        const updated = await updateSource(service, await existingSource(service, id), change);
        print(options, withoutText(updated), () => `${id} updated.`);
      });
    });

  commandOf('refresh', 'Crawl a website again, and wait for the result', ['web_01KA… --agent-id front-desk'])
    .argument('<websiteId>', 'the website', as(Identifier))
    .option('--no-wait', 'do not wait until the crawl has ended')
    .action(async (websiteId, _, command) => {
      const options = command.optsWithGlobals();
      await withInterruption(options, async (service, stop) => {
        const { api, uid, agentId } = service;
        const { status } = dataOf(await api.POST('/agent-websites/refresh', { body: { uid, agentId, websiteId } }));
        if (options.wait) return waitForCrawl(options, service, websiteId, stop);
        print(options, { agentId, websiteId, status }, () => `The crawl of website ${websiteId} has started.`);
      });
    });

  commandOf('retry', 'Extract the text of a failed document again, and wait for the result', [
    'doc_01KA… --agent-id front-desk',
  ])
    .argument('<documentId>', 'the document', as(Identifier))
    .option('--no-wait', 'do not wait until the text is extracted')
    .action(async (documentId, _, command) => {
      const options = command.optsWithGlobals();
      await withInterruption(options, async (service, stop) => {
        const { api, uid, agentId } = service;
        const { status } = dataOf(await api.POST('/agent-documents/retry', { body: { uid, agentId, documentId } }));
        if (!options.wait) {
          return print(options, { agentId, documentId, status }, () => `The extraction of ${documentId} has started.`);
        }
        const { found, problem } = await waitForSources(() => listDocuments(service), [documentId], stop);
        const document = found.get(documentId);
        if (!document || problem) {
          throw new CommandError(
            problem ?? `Document ${documentId} was deleted in the meantime.`,
            stop.aborted ? exitCodes.unfinished : exitCodes.failed,
          );
        }
        print(options, withoutText(document), () => describeSource({ kind: 'document', record: document }));
        if (document.status === 'failed') throw new CommandError(`Document ${documentId} failed.`);
      });
    });

  commandOf('export', 'Write the text of a website or document', [
    'web_01KA… --agent-id front-desk --output help.md',
    'doc_01KA… --agent-id front-desk --format text',
  ])
    .argument('<id>', 'the website or document', as(Identifier))
    .addOption(
      new Option('--format <format>', 'markdown, or text (of a website: JSON with its pages)')
        .choices(['markdown', 'text'] as const)
        .default('markdown' as const),
    )
    .option('--output <file>', 'the file to write (default: standard output)')
    .action(async (id, _, command) => {
      const options = command.optsWithGlobals();
      const { output, format } = options;
      await withInterruption(options, async (service) => {
        const source = await existingSource(service, id);
        const field = format === 'markdown' ? 'contentMD' : 'content';
        await writeOutput(output, readText(service, source, field));
        if (output) print(options, { id, format, output }, () => `${id} exported to ${output}.`);
      });
    });

  commandOf('delete', 'Delete websites and documents with their texts and files', [
    'web_01KA… doc_01KA… --agent-id front-desk --yes',
  ])
    .argument('<ids...>', 'the websites and documents', toIds)
    .option('--yes', 'do it; without this option, they are only listed')
    .action(async (ids, _, command) => {
      const options = command.optsWithGlobals();
      const { yes = false } = options;
      await withInterruption(options, async (service) => {
        const sources: Source[] = [];
        for (const id of new Set(ids)) sources.push(await existingSource(service, id));
        if (yes) for (const source of sources) await deleteSource(service, source);
        const deleted = sources.map(({ kind, record: { id, name } }) => ({ kind, id, name }));
        print(options, { agentId: service.agentId, sources: deleted, deleted: yes }, () =>
          columns(deleted.map(({ kind, id, name }) => [kind, id, name, yes ? 'deleted' : ''])),
        );
        if (!yes) say('Nothing was deleted. Add --yes to delete them.');
      });
    });
};

const toIds = (text: string, before: string[] = []) => [...before, as(Identifier)(text)];

/** Ends what is in progress at the first signal to stop. */
const withInterruption = async (
  options: ServiceOptions,
  work: (service: Service, stop: AbortSignal) => Promise<void>,
): Promise<void> => {
  using stop = interruption(new CommandError('Stopped.', exitCodes.unfinished));
  await withService(options, 'knowledge', stop.signal, (service) => work(service, stop.signal));
};

const waitForCrawl = async (options: ServiceOptions, service: Service, websiteId: string, stop: AbortSignal) => {
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

const withoutText = ({ content: _content, contentMD: _contentMD, ...rest }: SourceSummary) => rest;

const stateOf = ({ active }: SourceSummary) => (active ? 'enabled' : 'disabled');

const describeSource = (source: Source) => {
  if (source.kind === 'document') {
    const { id, name, type, size, status, error, lastUpdatedAt } = source.record;
    const state = stateOf(source.record);
    return record({
      document: id,
      name,
      type,
      bytes: size.toLocaleString('en'),
      status,
      error,
      state,
      updated: lastUpdatedAt,
    });
  }
  const { id, name, url, status, error, pages, failedPages, lastCrawledAt } = source.record;
  const state = stateOf(source.record);
  const head = record({ website: id, name, url, status, error, state, pages, crawled: lastCrawledAt });
  if (failedPages.length === 0) return head;
  return `${head}\n\n${columns(
    failedPages.map((page) => [page.url, page.reason]),
    ['FAILED PAGE', 'REASON'],
  )}`;
};

const describeList = ({ agentId }: Service, websites: WebsiteSummary[], documents: DocumentSummary[]) => {
  const parts: string[] = [];
  if (websites.length > 0) {
    const rows = websites.map((site) => [
      site.id,
      site.url,
      site.status,
      stateOf(site),
      site.pages,
      site.failedPages.length,
      site.error,
    ]);
    parts.push(columns(rows, ['WEBSITE', 'URL', 'STATUS', 'STATE', 'PAGES', 'FAILED PAGES', 'ERROR']));
  }
  if (documents.length > 0) {
    const rows = documents.map((one) => [
      one.id,
      one.name,
      one.status,
      stateOf(one),
      one.size.toLocaleString('en'),
      one.error,
    ]);
    parts.push(columns(rows, ['DOCUMENT', 'NAME', 'STATUS', 'STATE', 'BYTES', 'ERROR']));
  }
  return parts.join('\n\n') || `Agent ${agentId} has no websites and no documents.`;
};
