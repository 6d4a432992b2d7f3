import { CallFacts, factNames } from '../../../../functions/domain/calls.ts';
import { validate } from '../../../../functions/domain/validation.ts';
import { serviceOption } from '../../../command-line/connection.ts';
import { CommandError } from '../../../command-line/exit-codes.ts';
import { interruption } from '../../../command-line/interruption.ts';
import { count, print, record } from '../../../command-line/output.ts';
import { runImport } from '../../calls/import-calls.ts';
import { addCommand, type Group } from '../../program.ts';
import { withOwners } from '../../service.ts';

const optionalFacts = factNames.filter((name) => validate(CallFacts.shape[name], undefined).error === undefined);

export const importCalls = (calls: Group) =>
  addCommand(
    calls,
    'calls import',
    'Import calls from a file of JSON lines',
    ['calls.jsonl', 'calls.jsonl --stack voice-agents-prod'],
    `
A line is an item of POST /calls, as "calls export" writes it:

  {"agentId":"front-desk","callId":"c-1","phone":"+14155550123","direction":"inbound","startedAt":"2026-01-31T12:00:00Z"}

${optionalFacts.join(', ')} and the outcome are optional. An outcome that is absent stays as it is.
Invalid lines are reported with their number, and the others are imported. Importing a file twice changes nothing. After an
interruption, the same command continues: <file>.progress keeps the position until the import is complete.

This command uses the HTTP API with a temporary API key of each agent's owner. The keys are deleted at the end. With VAP_API_KEY
set, it uses that key and needs no table.
`,
  )
    .argument('<file>', 'the file, one call per line')
    .option(...serviceOption)
    .action(async (file, _, command) => {
      const options = command.optsWithGlobals();
      using stop = interruption();
      const report = await withOwners(options, ['calls'], (owners) => runImport(owners, file, stop.signal));
      const { line: lines, imported, failed, errors, resumedAfterLine } = report;
      print(options, { file, lines, imported, failed, errors, resumedAfterLine }, () =>
        record({ lines, imported, failed }),
      );
      if (failed > 0) throw new CommandError(`${count(failed, 'line')} could not be imported.`);
    });
