import { InvalidArgumentError } from '@commander-js/extra-typings';
import { DateTime } from '../../functions/domain/date-time.ts';
import { formatLimit } from '../../functions/domain/format-limit.ts';
import { as, country, identifier, wholeNumber } from '../command-line/arguments.ts';
import { selectingCalls, toSelection } from '../command-line/call-filter.ts';
import { baseUrlOption, keyHelp, readApiKey } from '../command-line/connection.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { interruption } from '../command-line/interruption.ts';
import { newProgram, run as runProgram } from '../command-line/program.ts';
import { isAmongNames, itemFields, metadataPrefix } from './fields.ts';
import { plan } from './plan.ts';
import { pull } from './pull.ts';
import { push } from './push.ts';

const scopeOfCalls = keyHelp('the scope "calls"');

/** Runs a command line of the batch tool and returns its exit code. */
export const run = async (argv: string[]) => {
  const program = newProgram('outcomes').description('Set the outcomes of many calls from a CSV or JSON lines file.');

  selectingCalls(
    program
      .command('pull')
      .description('Write calls to a file, to be completed and sent by "push"')
      .argument('<file>', 'the file to write: .csv, or .jsonl with one object per line')
      .addOption(baseUrlOption())
      .option('--agent-id <id>', 'the agent (default: all that the user of the key owns or has access to)', identifier),
  )
    .addHelpText(
      'after',
      `${scopeOfCalls} Without --agent-id, it needs "agents", too.\n\nExample: the calls of the last seven days that have no outcome yet\n  $ ${program.name()} pull calls.csv --agent-id front-desk --from 7d --without-outcome`,
    )
    .action(async (file, { baseUrl, agentId, ...selection }) => {
      using stop = interruption(new CommandError('Stopped. Nothing was written.', exitCodes.unfinished));
      await pull(file, {
        baseUrl,
        agentId,
        ...toSelection(selection),
        apiKey: readApiKey,
        signal: stop.signal,
      });
    });

  program
    .command('push')
    .description('Set the outcome of every call in a file')
    .argument('<file>', 'a .csv file with a header, or a .jsonl file with one object per line')
    .addOption(baseUrlOption())
    .option('--agent-id <id>', 'the agent of rows without an agentId', identifier)
    .option('--dry-run', 'check the file without contacting the service')
    .option('--strict', 'send nothing if a row is invalid')
    .option('--only-failed', 'take a results file, and send its failed and invalid rows')
    .option('--restart', 'start at the first row, even after an interruption')
    .option('--ignore-unknown', 'skip unknown columns and fields, instead of failing')
    .option('--map <pairs>', 'the fields of columns with other names: COLUMN=FIELD,…', toMap)
    .option('--decimal-comma', 'numbers have a decimal comma: 1.249,99 (default: if semicolons separate the cells)')
    .option('--no-decimal-comma', 'numbers have a decimal point, also if semicolons separate the cells')
    .option('--country <code>', 'the country of phone numbers without a country code, such as DE', country)
    .option('--results <file>', 'the results file (default: beside the input)')
    .option('--concurrency <number>', 'parallel requests', wholeNumber(1, 16), 4)
    .option('--retries <number>', 'retries of a request after a transient failure', wholeNumber(0, 20), 8)
    .addHelpText(
      'after',
      `${scopeOfCalls} Columns of a CSV file (fields of a JSON line):
  agentId, callIdOrPhone        the call: its id, or a phone number in E.164 format
  preference                    first or last (default): which call of a phone number
  custom_call_outcome           the label of the outcome
  custom_call_outcome_value     its monetary value
  custom_call_metadata          an object as JSON; in CSV also one column per key, custom_call_metadata.KEY
  metadataMode                  replace (default) or merge
An empty cell or absent field leaves a value as it is. \\N in a cell and null in JSON clear it.
With --country, a value of digits that is a phone number of that country is one, and no call id.
The results file is written like the input: encoding, mark and separator. Up to ${formatLimit('outcomesPerRequest')} rows are sent in one request, and
fewer while the service is slow. After an interruption, the same command continues.

Examples:
  $ ${program.name()} push calls.csv --dry-run
  $ ${program.name()} push calls.csv
  $ ${program.name()} push crm.csv --agent-id front-desk --map Telefon=callIdOrPhone,Ergebnis=custom_call_outcome --country DE
  $ ${program.name()} push calls.csv.results.csv --only-failed`,
    )
    .action(async (file, options) => {
      using stop = interruption(
        new CommandError('Interrupted. Run the same command again to continue.', exitCodes.unfinished),
      );
      await push(file, { ...options, apiKey: readApiKey, signal: stop.signal });
    });

  program
    .command('plan')
    .description('Split a file of numbers into those that may be called now and those for later')
    .argument('<file>', 'a .csv file with a header')
    .addOption(baseUrlOption())
    .requiredOption('--agent-id <id>', 'the agent whose rules for outbound calls apply', identifier)
    .option('--column <name>', 'the column with the number', 'number')
    .option('--country <code>', 'the country of phone numbers without a country code, such as DE', country)
    .option('--at <time>', 'the moment to plan for: a date-time with an offset (default: now)', as(DateTime))
    .addHelpText(
      'after',
      `${keyHelp('the scope "hooks"')}
Writes FILE.now.csv, and FILE.later.csv with the columns cause and retryAt. Nothing is counted as an attempt.

Example:
  $ ${program.name()} plan customers.csv --agent-id front-desk --column phone`,
    )
    .action(async (file, options) => {
      using stop = interruption(new CommandError('Stopped. Nothing was written.', exitCodes.unfinished));
      await plan(file, { ...options, apiKey: readApiKey, signal: stop.signal });
    });

  return runProgram(program, argv);
};

function toMap(text: string, before: Record<string, string> = {}): Record<string, string> {
  const pairs = text.split(',').map((pair) => {
    const [, column = '', field = ''] = /^(.+)=(.+)$/.exec(pair.trim()) ?? [];
    if (!isAmongNames(itemFields, field) && !field.startsWith(metadataPrefix)) {
      throw new InvalidArgumentError(
        `It must be COLUMN=FIELD,… with the fields ${itemFields.join(', ')}, ${metadataPrefix}KEY.`,
      );
    }
    return [column.trim(), field];
  });
  return { ...before, ...Object.fromEntries(pairs) };
}
