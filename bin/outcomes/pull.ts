import { stringify } from 'csv-stringify/sync';
import type { CallFilters } from '../../functions/domain/call-filters.ts';
import { type Call, factNames, outcomeFields } from '../../functions/domain/calls.ts';
import { protectText } from '../../functions/domain/csv.ts';
import { apiClient, dataOf } from '../../functions/openapi/client/client.ts';
import type { CallRange } from '../../functions/store/calls/call-lists.ts';
import { readAgentIds, readCalls } from '../command-line/calls-of-agents.ts';
import { count } from '../command-line/output.ts';
import { writeOutput } from '../command-line/output-file.ts';
import type { Format } from './row.ts';
import { fileFormat } from './rows.ts';

export type PullOptions = {
  baseUrl: string;
  /** Undefined: all agents of the key's user. */
  agentId: string | undefined;
  range: CallRange;
  filters: CallFilters;
  apiKey(): Promise<string>;
  signal: AbortSignal;
};

const requestSeconds = 35;

/** Writes the calls of an agent, or of all agents, to a file that `push` reads. */
export const pull = async (file: string, options: PullOptions): Promise<void> => {
  const format = fileFormat(file);
  const apiKey = await options.apiKey();
  let written = 0;
  async function* text() {
    if (format === 'csv') yield stringify([columns]);
    for await (const call of selectCalls(options, apiKey)) {
      written += 1;
      yield formatLine(call, format);
    }
  }
  await writeOutput(file, text());
  process.stdout.write(`${count(written, 'call')} written to ${file}.\n`);
};

const columns = ['agentId', 'callIdOrPhone', ...factNames, ...outcomeFields];

const formatLine = (call: Call, format: Format) => {
  const { agentId, callId: callIdOrPhone } = call;
  const chosen = [...factNames, ...outcomeFields].map((field) => [field, call[field]]);
  const row = { agentId, callIdOrPhone, ...Object.fromEntries(chosen) };
  if (format === 'jsonl') return `${JSON.stringify(row)}\n`;
  return stringify([row], { columns, cast });
};

/** Labels, statuses and ids come from voice platforms. A spreadsheet takes a phone number for a number, and for no formula. */
const cast = {
  object: (value: object) => JSON.stringify(value),
  string: (value: string) => (/^\+\d+$/.test(value) ? value : protectText(value)),
};

async function* selectCalls({ baseUrl, agentId, signal, ...selection }: PullOptions, apiKey: string) {
  const api = apiClient({ baseUrl, apiKey, signal, timeoutSeconds: requestSeconds });
  const agentIds = agentId === undefined ? await readAgentIds(api, dataOf(await api.key.get()).uid) : [agentId];
  for (const one of agentIds) yield* readCalls(api, one, selection);
}
