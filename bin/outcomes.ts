/** `npm run outcomes`: sets the outcomes of many calls, from a file. */
import { setFlagsFromString } from 'node:v8';
import { Command, InvalidArgumentError } from 'commander';
import { apiKeyOf } from './outcomes/api-key.ts';
import { InputFileError } from './outcomes/input-file-error.ts';
import { type PushOptions, push } from './outcomes/push.ts';

// V8 would sooner let garbage pile up than collect it: 330 MB instead of 140, for the same 100,000 rows.
setFlagsFromString('--optimize-for-size');

const wholeNumber = (least: number, most: number) => (value: string) => {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < least || number > most) {
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  }
  return number;
};

const address = (value: string) => {
  const url = URL.parse(value);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new InvalidArgumentError('It must be an address such as https://api.example.com.');
  }
  return value.replace(/\/+$/, '');
};

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () =>
    interrupted.abort(new InputFileError('Interrupted. Run the same command again to go on where this ended.')),
  );
}

const program = new Command('npm run outcomes --')
  .description('Sets the outcomes of many calls, from a CSV file with a header or a file of JSON lines.')
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));

program
  .command('push')
  .argument('<file>', 'a .csv file with a header, or a .jsonl file with one object a line')
  .description('Send every row, 1,000 in a request. Interrupted, it goes on where it ended when it is run again.')
  .requiredOption('--base-url <address>', 'where the service is (or VAP_BASE_URL)', address, process.env.VAP_BASE_URL)
  .option('--agent-id <id>', 'the agent of the rows that name none')
  .option('--dry-run', 'check the file, and send nothing')
  .option('--strict', 'send nothing unless every row is right')
  .option('--restart', 'begin with the first row, whatever an interrupted run has done')
  .option('--ignore-unknown', 'pass over columns and fields that mean nothing, instead of refusing them')
  .option('--results <file>', 'where to write what became of each row (default: beside the input)')
  .option('--concurrency <number>', 'how many requests at once', wholeNumber(1, 16), 4)
  .option('--retries <number>', 'how often to send a request again that failed in passing', wholeNumber(0, 20), 8)
  .addHelpText(
    'after',
    `
The API key is read from VAP_API_KEY, or asked for on a terminal. Columns of a CSV file (fields of a JSON line):
  agentId, callIdOrPhone        the call: its id, or a phone number in E.164 format
  preference                    first or last (default): which call of a phone number
  custom_call_outcome           the outcome's label
  custom_call_outcome_value     its monetary value
  custom_call_metadata          an object, as JSON; in CSV also one column a key, custom_call_metadata.KEY
  metadataMode                  replace (default) or merge
In CSV an empty cell leaves a field as it is, and \\N clears it; in JSON null does.

Exit status: 0 every row was set, 1 some were not, 2 it could not run, or not to the end.`,
  )
  .action(async (file: string, options: Omit<PushOptions, 'apiKey' | 'signal'>) => {
    const all = await push(file, { ...options, apiKey: apiKeyOf, signal: interrupted.signal });
    process.exitCode = all ? 0 : 1;
  });

await program.parseAsync().catch((error: Error) => {
  console.error(error instanceof InputFileError ? error.message : error);
  process.exitCode = 2;
});
