import { Option } from '@commander-js/extra-typings';
import { toSelection } from '../../../command-line/call-filter.ts';
import { CommandError, exitCodes } from '../../../command-line/exit-codes.ts';
import { count, print } from '../../../command-line/output.ts';
import { streamJson, writeOutput } from '../../../command-line/output-file.ts';
import { exportToFiles } from '../../calls/export-files.ts';
import { selectedCallsCommand, withSelectedCalls } from '../../calls/selected-calls.ts';
import type { Group } from '../../program.ts';
import type { ServiceOptions } from '../../service.ts';
import { runWithService } from '../../service-command.ts';

export const exportCalls = (calls: Group) =>
  selectedCallsCommand(calls, 'calls export', 'Export calls as JSON lines, the format of "calls import"', [
    '--agent-id front-desk --output calls.jsonl',
    '--uid acme --from 7d --output week.jsonl',
    '--agent-id front-desk --from 2026-01-01 --to 2026-02-01 --output january.jsonl',
    '--uid acme --from 2026-01-01 --to 2026-02-01 --format parquet --output january.parquet',
  ])
    .addOption(
      new Option(
        '--format <format>',
        'write files of calls that the user owns; needs --from, --to and --output',
      ).choices(['parquet', 'csv', 'jsonl'] as const),
    )
    .option('--output <file>', 'the file to write (default: standard output)')
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { agentId, uid, output, format } = options;
      if (format) return exportFiles({ ...options, format });
      await withSelectedCalls(options, toSelection(options), async (callsOfAgents) => {
        let exported = 0;
        async function* read() {
          for (const calls of callsOfAgents) {
            for await (const call of calls) {
              exported += 1;
              yield call;
            }
          }
        }
        async function* lines() {
          for await (const call of read()) yield `${JSON.stringify(call)}\n`;
        }
        if (options.json && !output) return writeOutput(output, streamJson({ agentId, uid }, 'calls', read()));
        await writeOutput(output, lines());
        if (output)
          print(options, { agentId, uid, output, calls: exported }, () => `${count(exported, 'call')} exported.`);
      });
    });

/** The options that the export to files does not have. */
const listFilters = ['phone', 'direction', 'status', 'outcome', 'withOutcome', 'withoutOutcome', 'held'] as const;

type FileOptions = ServiceOptions<string | undefined> &
  Partial<Record<(typeof listFilters)[number], unknown>> & {
    format: 'parquet' | 'csv' | 'jsonl';
    from?: string;
    to?: string;
    output?: string;
  };

const exportFiles = async (options: FileOptions): Promise<void> => {
  const { from, to, output, format } = options;
  if (!from || !to || !output) throw new CommandError('--format needs --from, --to and --output.', exitCodes.usage);
  if (listFilters.some((name) => options[name] !== undefined))
    throw new CommandError('With --format, calls are only chosen by --from and --to.', exitCodes.usage);
  await runWithService(options, ['calls'], async ({ api, uid, agentId }) => {
    const exported = await exportToFiles(api, { uid, agentId, from, to, format }, output);
    print(options, { agentId, uid, ...exported }, () =>
      [`${count(exported.calls, 'call')} exported.`, ...exported.files].join('\n'),
    );
  });
};
