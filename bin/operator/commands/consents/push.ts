import { Option } from '@commander-js/extra-typings';
import { formatLimit } from '../../../../functions/domain/format-limit.ts';
import { country, wholeNumber } from '../../../command-line/arguments.ts';
import { CommandError, exitCodes } from '../../../command-line/exit-codes.ts';
import { interruption } from '../../../command-line/interruption.ts';
import { absoluteTime } from '../../../command-line/times.ts';
import { parseConsentMap } from '../../consents/consent-map.ts';
import { pushConsents, tryConsents } from '../../consents/push-consents.ts';
import type { Group } from '../../program.ts';
import { withService } from '../../service.ts';
import { serviceCommand } from '../../service-command.ts';

export const pushConsentFile = (consents: Group) =>
  serviceCommand(
    consents,
    'consents push',
    'Record the consents of a CSV file',
    [
      'consents.csv --uid acme --dry-run',
      'leads.csv --uid acme --map "Phone=number,Opt-in=state,Date=at" --map "state=yes:given,no:skip" --purpose marketing',
      'consents.csv.results.csv --uid acme --only-failed',
    ],
    `
Columns:
  number          the person: a phone number in E.164 format, or of --country
  purpose         what the person may be called for, such as marketing; * for all purposes, which can only be revoked
  state           given or revoked
  at              when the person said so: a date (2027-01-31, 31.1.2027) or a date-time; without an offset it is UTC
  expiresAt       when a given consent ends
  seller          on whose behalf the person may be called
  proof_channel   web, call, paper, message or other
  proof_text, proof_url, proof_ip, proof_sha256, proof_callId   what proves it
An empty cell is an absent field. Nothing is guessed: a state such as yes or true has the meaning that --map gives it, as in
--map state=yes:given,no:revoked. "skip" leaves its rows out: who did not opt in has revoked nothing.
The whole file is checked first. Up to ${formatLimit('consentsPerRequest')} rows are sent in one request.
The results file has each row with its consentId or its error. Recording a row twice is recording it once. After an interruption,
the same command continues.
`,
  )
    .argument('<file>', 'a .csv file with a header')
    .option('--map <pairs>', 'the fields of columns with other names, and the meaning of states', parseConsentMap)
    .option('--purpose <purpose>', 'the purpose of rows that have none')
    .addOption(new Option('--state <state>', 'the state of rows that have none').choices(['given', 'revoked'] as const))
    .option('--at <time>', 'the time of rows that have none', absoluteTime)
    .addOption(
      new Option('--proof-channel <channel>', 'the channel of rows that have none').choices([
        'web',
        'call',
        'paper',
        'message',
        'other',
      ] as const),
    )
    .option('--country <code>', 'the country of phone numbers without a country code, such as DE', country)
    .option('--dry-run', 'check the file without contacting the service')
    .option('--strict', 'send nothing if a row is invalid')
    .option('--only-failed', 'take a results file, and send its failed and invalid rows')
    .option('--restart', 'start at the first row, even after an interruption')
    .option('--ignore-unknown', 'skip unknown columns, instead of failing')
    .option('--results <file>', 'the results file (default: beside the input)')
    .option('--concurrency <number>', 'parallel requests', wholeNumber(1, 16), 4)
    .option('--retries <number>', 'retries of a request after a transient failure', wholeNumber(0, 20), 8)
    .action(async (file, _, command) => {
      const { map = parseNothing(), purpose, state, at, proofChannel, dryRun, ...options } = command.optsWithGlobals();
      if (!/\.csv$/i.test(file)) throw new CommandError(`${file} must be a .csv file.`, exitCodes.usage);
      const rows = { ...options, ...map, fallbacks: { purpose, state, at, proof_channel: proofChannel } };
      using stop = interruption(
        new CommandError('Interrupted. Run the same command again to continue.', exitCodes.unfinished),
      );
      if (dryRun) return tryConsents(file, rows, stop.signal);
      await withService({ ...options, agentId: undefined }, ['block-list'], stop.signal, (service) =>
        pushConsents(file, service, { ...rows, signal: stop.signal }),
      );
    });

const parseNothing = () => ({ columns: new Map(), states: new Map() }) as ReturnType<typeof parseConsentMap>;
