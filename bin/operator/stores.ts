import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BlockListImports } from '../../functions/block-list-import/block-list-imports.ts';
import { Consents } from '../../functions/consents/consents.ts';
import { HookSecrets } from '../../functions/hooks/secrets/hook-secrets.ts';
import { PlatformKeys } from '../../functions/reconciliation/platform-keys.ts';
import { AgentChanges } from '../../functions/store/agents/agent-changes.ts';
import { AgentSharing } from '../../functions/store/agents/agent-sharing.ts';
import { Agents } from '../../functions/store/agents/agents.ts';
import { ApiKeys } from '../../functions/store/api-keys.ts';
import { BlockList } from '../../functions/store/block-list/block-list.ts';
import { Calls } from '../../functions/store/calls/calls.ts';
import { checkFormat, NewerFormatError } from '../../functions/store/format.ts';
import { type DocumentRecord, documentKind } from '../../functions/store/sources/documents.ts';
import { SourceReads } from '../../functions/store/sources/source-reads.ts';
import { openTable, type Table } from '../../functions/store/table.ts';
import { Users } from '../../functions/store/users.ts';
import { WebhookDeliveries } from '../../functions/webhooks/webhook-deliveries.ts';
import { WebhookEndpoints } from '../../functions/webhooks/webhook-endpoints.ts';
import { WebhookEvents } from '../../functions/webhooks/webhook-events.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { isRunning } from '../command-line/is-running.ts';
import { say } from '../command-line/output.ts';
import { readOutput } from './stack.ts';

/** The options of all commands, which select a table. The local run describes itself in `runFile`. */
export type GlobalOptions = {
  table?: string | undefined;
  stack?: string | undefined;
  region?: string | undefined;
  runFile?: string | undefined;
  json?: boolean | undefined;
};

type LocalRun = {
  pid: number;
  baseUrl: string;
  /** The demo user. */
  uid: string;
  tableName: string;
  endpoints: { dynamodb: string; s3: string; sqs: string };
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
  /** The secret of erasures, unless the user gave one. */
  erasureSecret?: string;
};

export type Stores = ReturnType<typeof makeStores>;

/** Makes the stores of one table. */
export const makeStores = (table: Table) => ({
  table,
  users: new Users(table),
  apiKeys: new ApiKeys(table),
  agents: new Agents(table),
  agentChanges: new AgentChanges(table),
  agentSharing: new AgentSharing(table),
  calls: new Calls(table),
  blockList: new BlockList(table),
  consents: new Consents(table),
  blockListImports: new BlockListImports(table),
  documents: new SourceReads<DocumentRecord>(table, documentKind),
  hookSecrets: new HookSecrets(table),
  platformKeys: new PlatformKeys(table),
  webhookEndpoints: new WebhookEndpoints(table),
  webhookDeliveries: new WebhookDeliveries(table),
  webhookEvents: new WebhookEvents(table),
});

/**
 * Opens the stores of the table that `--table`, `--stack` or `TABLE_NAME` selects, or those of the local run. Reports the choice.
 */
export const openStores = async (options: GlobalOptions): Promise<Stores> => {
  const { stack, region } = options;
  // A page of a scan with a filter takes longer than a request of the service may.
  process.env.TABLE_TIMEOUT_SECONDS ??= '60';
  process.env.TABLE_THROTTLED_MILLISECONDS ??= '60000';
  const name = options.table ?? (stack ? await readOutput(stack, 'TableName', region) : process.env.TABLE_NAME);
  if (name) {
    const where = region ?? process.env.AWS_REGION;
    const place = where ? ` in ${where}` : '';
    announce(options, stack ? `stack ${stack}${place} (table ${name})` : `table ${name}${place}`);
    return openCheckedStores(openTable(name, region ? { region } : {}));
  }
  const run = await localRun(options.runFile);
  announce(options, `the local run at ${run.baseUrl}`);
  return openCheckedStores(
    openTable(run.tableName, {
      endpoint: run.endpoints.dynamodb,
      region: run.region,
      credentials: run.credentials,
    }),
  );
};

const openCheckedStores = async (table: Table): Promise<Stores> => {
  await requireKnownFormat(table);
  return makeStores(table);
};

/** Ends the command if a newer version has written the table. */
export const requireKnownFormat = (table: Table) =>
  checkFormat(table).catch((error: Error) => {
    throw error instanceof NewerFormatError ? new CommandError(error.message) : error;
  });

/** Reports the target of a command, so that production is not changed by mistake. */
export const announce = ({ json }: Pick<GlobalOptions, 'json'>, target: string) => {
  if (!json) say(`Using ${target}.`);
};

const root = resolve(import.meta.dirname, '..', '..');
const runsFolder = '.local/runs';

/** Returns the description of a local run: the one in the file, or the only one that exists. */
export const localRun = async (runFile: string | undefined): Promise<LocalRun> => {
  const named = runFile ? [runFile] : await readdir(join(root, runsFolder)).catch(() => []);
  const files = runFile ? named : named.map((name) => `${runsFolder}/${name}`);
  const runs = await Promise.all(files.map(async (file) => ({ file, run: await readRun(resolve(root, file)) })));
  const alive = runs.flatMap(({ file, run }) => (run && isRunning(run.pid) ? [{ file, run }] : []));
  const [first, ...others] = alive;
  if (!first) {
    throw new CommandError(
      'There is no local run. Start one with npm start, or select a deployment with --stack or a table with --table.',
      exitCodes.failed,
      'no_local_run',
    );
  }
  if (others.length > 0) {
    const choice = alive.map(({ file, run }) => `${file} (${run.baseUrl})`).join(', ');
    throw new CommandError(`There are several local runs. Choose one with --run-file: ${choice}.`, exitCodes.usage);
  }
  return first.run;
};

const readRun = async (file: string) => {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parse(text);
};

/** Returns undefined for a file that is half written or has other content. */
const parse = (text: string): LocalRun | undefined => {
  try {
    return JSON.parse(text) as LocalRun;
  } catch {
    return undefined;
  }
};
