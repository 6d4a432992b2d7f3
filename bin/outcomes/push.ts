import { limits } from '../../functions/domain/limits.ts';
import { apiClient, type CallOutcomeItem } from '../../functions/openapi/client/client.ts';
import { count, say } from '../command-line/output.ts';
import { updateOutcomes } from '../command-line/sending/sender.ts';
import { outcomeCheck } from './declared-outcomes.ts';
import { detectDialect } from './dialect.ts';
import { ErrorList } from './error-list.ts';
import { resultFields } from './fields.ts';
import { pushRows, type Report, type Rows, type RunOptions, tryRows } from './push-rows.ts';
import type { ReadOptions } from './row.ts';
import { fileFormat, readFileRows } from './rows.ts';

export type PushOptions = ReadOptions &
  RunOptions & {
    baseUrl: string;
    dryRun?: boolean | undefined;
    apiKey(): Promise<string>;
  };

/** Sets the outcome of every row of a file. Fails unless all of them are set. */
export const push = async (file: string, given: PushOptions): Promise<void> => {
  const form = { format: fileFormat(file), dialect: await detectDialect(file), fields: resultFields };
  // The key comes first, so that a missing one is reported before a long file is checked.
  const apiKey = given.dryRun ? '' : await given.apiKey();
  const options = given.dryRun ? given : { ...given, checkOutcome: outcomeCheck({ ...given, apiKey }) };
  const rows: Rows<CallOutcomeItem, 'updated'> = {
    operation: updateOutcomes,
    maxRows: limits.outcomesPerRequest,
    read: (onBytes) => readFileRows(file, options, onBytes),
    form,
    report: reportErrors(file),
    participle: 'set',
  };
  if (options.dryRun) return tryRows(rows, options.signal);
  const { baseUrl, agentId, ignoreUnknown, onlyFailed, map, decimalComma, country } = options;
  const run = { agentId, ignoreUnknown, onlyFailed, map, decimalComma, country };
  const target = { baseUrl, api: apiClient({ baseUrl, apiKey }), run, flagsForFailed: listFlagsForFailed(options) };
  await pushRows(file, rows, target, options);
};

/** Returns the options with which the results of a run are read. Their headings are the names of the fields, and those of skipped columns. */
const listFlagsForFailed = ({ country, decimalComma, map = {} }: PushOptions): string => {
  const fields = Object.values(map);
  const further = Object.entries(map).filter(([, field], index) => fields.indexOf(field) < index);
  return [
    '--only-failed',
    ...(country === undefined ? [] : [`--country ${country}`]),
    ...(decimalComma === undefined ? [] : [decimalComma ? '--decimal-comma' : '--no-decimal-comma']),
    ...further.map(([column, field]) => `--map "${column}=${field}"`),
  ].join(' ');
};

/** Prints the errors of a file, and how many rows name a call of an earlier row. */
const reportErrors = (file: string): Report<CallOutcomeItem> => {
  const errors = new ErrorList();
  let repeated = 0;
  const calls = new Set<string>();
  return {
    add(row) {
      if (row.item) {
        const call = updateOutcomes.reference(row.item);
        if (calls.has(call)) repeated++;
        calls.add(call);
      } else errors.add(file, row);
    },
    end() {
      errors.say();
      if (repeated > 0)
        say(`${count(repeated, 'row names', 'rows name')} a call of an earlier row: the last row of a call wins.`);
    },
  };
};
