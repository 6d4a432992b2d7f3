import { stringify } from 'csv-stringify/sync';
import type { CallFilters } from '../../functions/domain/call-lists.ts';
import { type Call, outcomeFields } from '../../functions/domain/calls.ts';
import { parseJson } from '../../functions/domain/json.ts';
import { type ApiClient, apiClient } from '../../functions/openapi/client/client.ts';
import type { CallRange } from '../../functions/store/calls/call-lists.ts';
import { dataOf } from '../command-line/data-of.ts';
import { count } from '../command-line/output.ts';
import { writeOutput } from '../command-line/output-file.ts';
import { factFields } from './fields.ts';
import type { Format } from './row.ts';
import { formatOf } from './rows.ts';

export type PullOptions = {
  baseUrl: string;
  /** Undefined: all agents of the key's user. */
  agentId: string | undefined;
  range: CallRange;
  filters: CallFilters;
  apiKey(): Promise<string>;
  signal: AbortSignal;
};

const pageItems = 1000;
const requestSeconds = 35;

/** Writes the calls of an agent, or of all agents, to a file that `push` reads. */
export const pull = async (file: string, options: PullOptions): Promise<void> => {
  const format = formatOf(file);
  const apiKey = await options.apiKey();
  let written = 0;
  async function* text() {
    if (format === 'csv') yield stringify([columns]);
    for await (const call of callsOf(options, apiKey)) {
      written += 1;
      yield lineOf(call, format);
    }
  }
  await writeOutput(file, text());
  process.stdout.write(`${count(written, 'call')} written to ${file}.\n`);
};

const columns = ['agentId', 'callIdOrPhone', ...factFields, ...outcomeFields];

const lineOf = (call: Call, format: Format) => {
  const { agentId, callId: callIdOrPhone } = call;
  const chosen = [...factFields, ...outcomeFields].map((field) => [field, call[field]]);
  const row = { agentId, callIdOrPhone, ...Object.fromEntries(chosen) };
  if (format === 'jsonl') return `${JSON.stringify(row)}\n`;
  const cast = { object: (value: object) => JSON.stringify(value) };
  return stringify([row], { columns, cast });
};

/** Yields the calls of each agent, newest first, page by page. */
async function* callsOf(
  { baseUrl, agentId, range, filters, signal }: PullOptions,
  apiKey: string,
): AsyncGenerator<Call> {
  const api = apiClient({ baseUrl, apiKey, timeoutSeconds: requestSeconds });
  const agentIds = agentId === undefined ? await agentsOf(api, signal) : [agentId];
  for (const agentId of agentIds) {
    const params = { agentId, ...range, ...filters, limit: pageItems };
    // JSON.parse would round large numbers in the metadata.
    for await (const page of api.calls.list(params, { signal, parse: parseJson }).pages()) {
      yield* dataOf(page).calls as Call[];
    }
  }
}

/** Returns the ids of all agents that the user of the key owns or has access to. */
const agentsOf = async (api: ApiClient, signal: AbortSignal): Promise<string[]> => {
  const { uid } = dataOf(await api.key.get({ signal }));
  const agentIds: string[] = [];
  for await (const page of api.agents.list({ uid }, { signal }).pages()) {
    agentIds.push(...dataOf(page).agents.map(({ agentId }) => agentId));
  }
  return agentIds;
};
