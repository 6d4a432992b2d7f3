import { Option } from '@commander-js/extra-typings';
import { ImportCountry } from '../../../../functions/domain/block-list-imports.ts';
import { formatLimit } from '../../../../functions/domain/format-limit.ts';
import { as, identifier } from '../../../command-line/arguments.ts';
import { CommandError, exitCodes } from '../../../command-line/exit-codes.ts';
import { count, print, record, say, visible } from '../../../command-line/output.ts';
import { future } from '../../../command-line/times.ts';
import { importResult, uploadNumbers } from '../../block-list/import-file.ts';
import type { Group } from '../../program.ts';
import { runWithService, serviceCommand } from '../../service-command.ts';

export const importBlockList = (blockList: Group) =>
  serviceCommand(
    blockList,
    'block-list import',
    'Import a file of numbers, and wait for the result',
    [
      'numbers.txt --uid acme',
      'do-not-call.csv --agent-id front-desk --mode replace --reason "National register"',
      'export.csv --uid acme --number-column Telefon --country DE',
    ],
    `
Without --agent-id it is the block list of the user --uid, which is in force for all of their agents.
The file has one number per line, or is CSV with the columns number, reason and expiresAt. It is UTF-8 or UTF-16, and has at most
${formatLimit('importBytes')}. --number-column names another column; other columns are ignored then. --country reads national numbers. Lines that cannot be
imported are reported with their number, and the others are imported.
`,
  )
    .argument('<file>', 'the file')
    .option('--agent-id <id>', "the agent whose list it is (default: the user's own list)", identifier)
    .addOption(
      new Option('--mode <mode>', 'add, or replace: also remove the numbers that the file does not have')
        .choices(['add', 'replace'] as const)
        .default('add' as const),
    )
    .option('--reason <text>', 'the reason of lines that have none')
    .option(
      '--expires-at <when>',
      'a date, a date-time or a duration such as 30d: when numbers are unblocked whose lines do not say so',
      future,
    )
    .option('--country <code>', 'the country of national numbers, such as DE', as(ImportCountry))
    .option('--number-column <name>', 'the column of the numbers')
    .option('--reason-column <name>', 'the column of the reasons')
    .option('--expires-at-column <name>', 'the column of the times at which numbers are unblocked')
    .option('--no-wait', 'do not wait until the file is imported')
    .action(async (file, _, command) => {
      const options = command.optsWithGlobals();
      await runWithService(options, ['block-list'], async (service, stop) => {
        const { mode, reason, expiresAt, country, numberColumn: number, reasonColumn, expiresAtColumn } = options;
        if (number === undefined && (reasonColumn ?? expiresAtColumn) !== undefined)
          throw new CommandError('Name the column of the numbers with --number-column, too.', exitCodes.usage);
        const columns = number === undefined ? undefined : { number, reason: reasonColumn, expiresAt: expiresAtColumn };
        const importId = await uploadNumbers(service, file, { mode, reason, expiresAt, country, columns }, stop);
        service.hasFilesUnderWay = true;
        if (!options.wait) {
          return print(options, { importId, status: 'awaiting_upload' }, () => `Import ${importId} has begun.`);
        }
        const { failures, ...result } = await importResult(service, importId, stop, !options.json);
        service.hasFilesUnderWay = false;
        for (const { line, number, reason, message = reason } of options.json ? [] : failures) {
          say(visible(`${file}:${line}: ${number}: ${message}`));
        }
        const { status, lines, added, alreadyBlocked, removed, failed, error } = result;
        print(options, { ...result, failures }, () =>
          record({ import: importId, status, lines, added, 'already blocked': alreadyBlocked, removed, failed }),
        );
        if (status === 'failed') throw new CommandError(error ?? 'The import failed.');
        if (failed > 0) throw new CommandError(`${count(failed, 'line')} could not be imported.`);
      });
    });
