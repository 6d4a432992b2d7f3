import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from '@commander-js/extra-typings';
import { stringify } from 'csv-stringify/sync';
import { Identifier } from '../../functions/domain/identifiers.ts';
import { limits } from '../../functions/domain/limits.ts';
import { as, baseUrl, pathOf } from '../command-line/arguments.ts';
import { describeFileError } from '../command-line/describe-error.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { interruption } from '../command-line/interruption.ts';
import { count, print, record, say, visible } from '../command-line/output.ts';
import { writeOutput } from '../command-line/output-file.ts';
import { examples, type Operator } from './program.ts';
import { sendByForm } from './send-files.ts';
import { dataOf, type Service, type ServiceOptions, withService } from './service.ts';

const accessHelp = `
Without --agent-id it is the block list of the user --uid, which is in force for all of their agents.
This command uses the HTTP API with a temporary API key of the agent's owner (or --uid), which is deleted at the end.
With VAP_API_KEY set, it uses that key and needs no table: --uid is the user of the key, and --base-url or VAP_BASE_URL
the address.
`;

type ListService = Service<string | undefined>;

const everyMilliseconds = 5000;

export const addBlockListCommands = (program: Operator) => {
  const blockList = program.command('block-list').description('Block lists of agents and users');

  const commandOf = (name: string, description: string, help: string, lines: string[]) =>
    blockList
      .command(name)
      .description(description)
      .option('--agent-id <id>', "the agent whose list it is (default: the user's own list)", as(Identifier))
      .option('--uid <uid>', "the user (default: the agent's owner)", as(Identifier))
      .option('--base-url <address>', 'the address of the service (default: of the local run or the --stack)', baseUrl)
      .addHelpText('after', `${help}${accessHelp}${examples(...lines.map((line) => `block-list ${name} ${line}`))}`);

  commandOf(
    'import',
    'Import a file of numbers, and wait for the result',
    `
The file is UTF-8 text with one number per line, or CSV with a header that names number and, optionally, reason and
expiresAt; at most 64 MB. Lines that cannot be imported are reported with their number, and the others are imported.
`,
    ['numbers.txt --uid acme', 'do-not-call.csv --agent-id front-desk --mode replace --reason "National register"'],
  )
    .argument('<file>', 'the file')
    .addOption(
      new Option('--mode <mode>', 'add, or replace: also remove the numbers that the file does not have')
        .choices(['add', 'replace'] as const)
        .default('add' as const),
    )
    .option('--reason <text>', 'the reason of lines that have none')
    .option('--no-wait', 'do not wait until the file is imported')
    .action(async (file, _, command) => {
      const options = command.optsWithGlobals();
      await withList(options, async (service, stop) => {
        const importId = await upload(service, file, options, stop);
        if (!options.wait) {
          return print(options, { importId, status: 'awaiting_upload' }, () => `Import ${importId} has begun.`);
        }
        const { failures, ...result } = await resultOf(service, importId, stop, !options.json);
        for (const { line, number, reason } of options.json ? [] : failures) {
          say(visible(`${file}:${line}: ${reason}: ${number}`));
        }
        const { status, lines, added, alreadyBlocked, removed, failed, error } = result;
        print(options, { ...result, failures }, () =>
          record({ import: importId, status, lines, added, 'already blocked': alreadyBlocked, removed, failed }),
        );
        if (status === 'failed') throw new CommandError(error ?? 'The import failed.');
        if (failed > 0) throw new CommandError(`${count(failed, 'line')} could not be imported.`);
      });
    });

  commandOf('export', 'Write a block list as CSV, the format of "block-list import"', '', [
    '--uid acme --output acme.csv',
    '--agent-id front-desk --output front-desk.csv',
  ])
    .option('--output <file>', 'the file to write (default: standard output)')
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { output } = options;
      await withList(options, async (service) => {
        let numbers = 0;
        async function* lines() {
          yield stringify([['number', 'reason', 'expiresAt']]);
          for await (const entries of pagesOf(service)) {
            numbers += entries.length;
            yield stringify(entries.map(({ number, reason, expiresAt }) => [number, reason, expiresAt]));
          }
        }
        await writeOutput(output, lines());
        if (output) print(options, { output, numbers }, () => `${count(numbers, 'number')} exported.`);
      });
    });
};

/** Ends what is in progress at the first signal to stop. */
const withList = async (
  options: ServiceOptions<string | undefined>,
  work: (service: ListService, stop: AbortSignal) => Promise<void>,
): Promise<void> => {
  using stop = interruption(new CommandError('Stopped.', exitCodes.unfinished));
  await withService(options, 'block-list', stop.signal, (service) => work(service, stop.signal));
};

/** Creates an import and sends its file. Returns the id of the import. */
const upload = async (
  { api, uid, agentId }: ListService,
  file: string,
  { mode, reason }: { mode: 'add' | 'replace'; reason?: string | undefined },
  stop: AbortSignal,
): Promise<string> => {
  const found = await stat(pathOf(file)).catch((error) => {
    throw new CommandError(describeFileError(file, error), exitCodes.usage);
  });
  if (!found.isFile()) throw new CommandError(`${file} is not a file.`, exitCodes.usage);
  if (found.size === 0) throw new CommandError(`${file} is empty.`, exitCodes.usage);
  if (found.size > limits.importBytes) throw new CommandError(`${file} is larger than 64 MB.`, exitCodes.usage);
  const { importId, ...form } = dataOf(
    await api.POST('/block-list-imports', {
      params: { header: { 'Idempotency-Key': randomUUID() } },
      body: { uid, agentId, mode, reason, size: found.size },
    }),
  );
  const error = await sendByForm({ path: file, name: basename(file) }, form, stop);
  if (error) throw new CommandError(error.message);
  return importId;
};

/** The result of an import, once it has ended. Its progress is said every few seconds. */
const resultOf = async ({ api, uid }: ListService, importId: string, stop: AbortSignal, isTalkative: boolean) => {
  let said = Date.now();
  for (let waited = 200; ; waited = Math.min(waited * 1.5, 2000)) {
    const query = { uid };
    const found = dataOf(await api.GET('/block-list-imports/{importId}', { params: { path: { importId }, query } }));
    const { status, lines, added, alreadyBlocked, removed, failed } = found;
    if (status === 'done' || status === 'failed') return found;
    if (isTalkative && Date.now() - said >= everyMilliseconds) {
      said = Date.now();
      const [all, isAdded, was, isGone, isBad] = [lines, added, alreadyBlocked, removed, failed].map((value) =>
        value.toLocaleString('en'),
      );
      say(`${all} lines: ${isAdded} added, ${was} already blocked, ${isBad} failed; ${isGone} removed.`);
    }
    await sleep(waited, undefined, { signal: stop }).catch(() => {
      throw new CommandError(`Stopped. Import ${importId} goes on.`, exitCodes.unfinished);
    });
  }
};

/** The entries of a list, page by page. */
async function* pagesOf({ api, uid, agentId }: ListService) {
  const query = { uid, limit: limits.pageItems };
  const pages =
    agentId === undefined
      ? api.pages('/block-list', { params: { query } })
      : api.pages('/agent-block-list', { params: { query: { ...query, agentId } } });
  for await (const page of pages) yield dataOf(page).entries;
}
