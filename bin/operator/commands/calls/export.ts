import { toSelection } from '../../../command-line/call-filter.ts';
import { count, print } from '../../../command-line/output.ts';
import { streamJson, writeOutput } from '../../../command-line/output-file.ts';
import { selectedCallsCommand, withSelectedCalls } from '../../calls/selected-calls.ts';
import type { Group } from '../../program.ts';

export const exportCalls = (calls: Group) =>
  selectedCallsCommand(calls, 'calls export', 'Export calls as JSON lines, the format of "calls import"', [
    '--agent-id front-desk --output calls.jsonl',
    '--uid acme --from 7d --output week.jsonl',
    '--agent-id front-desk --from 2026-01-01 --to 2026-02-01 --output january.jsonl',
  ])
    .option('--output <file>', 'the file to write (default: standard output)')
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { agentId, uid, output } = options;
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
