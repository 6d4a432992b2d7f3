import { resolvePath } from '../../../command-line/arguments.ts';
import { CommandError, exitCodes } from '../../../command-line/exit-codes.ts';
import { interruption } from '../../../command-line/interruption.ts';
import { count, print, record } from '../../../command-line/output.ts';
import { runImport } from '../../calls/import-calls.ts';
import { importDisplay } from '../../calls/import-display.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const importCalls = (calls: Group) =>
  calls
    .command('import')
    .description('Import calls from a file of JSON lines')
    .argument('<file>', 'the file, one call per line')
    .addHelpText(
      'after',
      `
A line is an item of POST /calls, as "calls export" writes it:

  {"agentId":"front-desk","callId":"c-1","phone":"+14155550123","direction":"inbound","startedAt":"2026-01-31T12:00:00Z"}

phone, agentPhone, endedAt, durationSeconds, status, agentVersion, details and the outcome are optional. An outcome that is absent stays as it is.
Invalid lines are reported with their number, and the others are imported. Importing a file twice changes nothing. After an
interruption, the same command continues: <file>.progress keeps the position until the import is complete.
${examples('calls import calls.jsonl', 'calls import calls.jsonl --table voice-agents --region eu-central-1')}`,
    )
    .action(async (file, _, command) => {
      const options = command.optsWithGlobals();
      const stores = await openStores(options);
      using stop = interruption();
      const report = await runImport(stores, resolvePath(file), importDisplay(file), stop.signal);
      const { line, imported, failed, errors, resumedAfterLine } = report;
      if (report.stopped) {
        throw new CommandError(
          `Stopped after line ${line}. Run the same command again to continue.`,
          exitCodes.unfinished,
        );
      }
      const resumed = resumedAfterLine !== undefined && { resumedAfterLine };
      print(options, { file, lines: line, imported, failed, errors, ...resumed }, () =>
        record({ lines: line, imported, failed }),
      );
      if (failed > 0) throw new CommandError(`${count(failed, 'line')} could not be imported.`);
    });
