import { identifier } from '../../../command-line/arguments.ts';
import { selectingCalls, toSelection } from '../../../command-line/call-filter.ts';
import { serviceOption } from '../../../command-line/connection.ts';
import { count, print } from '../../../command-line/output.ts';
import { streamJson, writeOutput } from '../../../command-line/output-file.ts';
import { withSelectedCalls } from '../../calls/selected-calls.ts';
import { addCommand, type Group } from '../../program.ts';

export const exportCalls = (calls: Group) =>
  selectingCalls(
    addCommand(calls, 'calls export', 'Export calls as JSON lines, the format of "calls import"', [
      '--agent-id front-desk --output calls.jsonl',
      '--uid acme --from 7d --output week.jsonl',
      '--agent-id front-desk --from 2026-01-01 --to 2026-02-01 --output january.jsonl',
    ])
      .option('--agent-id <id>', 'the agent', identifier)
      .option('--uid <uid>', 'all agents that this user owns or has access to', identifier)
      .option(...serviceOption)
      .option('--output <file>', 'the file to write (default: standard output)'),
  ).action(async (_, command) => {
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
