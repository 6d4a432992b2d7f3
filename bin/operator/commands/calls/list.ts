import { type CallColumn, callColumns } from '../../../../functions/domain/call-columns.ts';
import type { Call } from '../../../../functions/domain/calls.ts';
import { wholeNumber } from '../../../command-line/arguments.ts';
import { toSelection } from '../../../command-line/call-filter.ts';
import { print, say, table } from '../../../command-line/output.ts';
import { selectedCallsCommand, withSelectedCalls } from '../../calls/selected-calls.ts';
import type { Group } from '../../program.ts';

const listColumns = (Object.entries(callColumns) as [keyof Call, CallColumn][]).filter(
  ([, { isInLists }]) => isInLists,
);

export const listCalls = (calls: Group) =>
  selectedCallsCommand(calls, 'calls list', 'List calls, the newest first', [
    '--agent-id front-desk',
    '--uid acme --from yesterday --without-outcome',
  ])
    .option('--limit <number>', 'the maximum number of calls', wholeNumber(1, 10_000), 50)
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { agentId, uid, limit } = options;
      const all: Call[] = [];
      await withSelectedCalls(options, toSelection(options), async (callsOfAgents) => {
        for (const calls of callsOfAgents) {
          // The newest calls of all agents are among the newest calls of each.
          let taken = 0;
          for await (const call of calls) {
            all.push(call);
            if (++taken > limit) break;
          }
        }
      });
      all.sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
      const found = all.slice(0, limit);
      const more = all.length > limit;
      const shown = listColumns.filter(([name]) => name !== 'agentId' || uid !== undefined);
      print(options, { agentId, uid, calls: found, more }, () =>
        table(
          found,
          { CALL: 'callId', ...Object.fromEntries(shown.map(([name, { heading }]) => [heading.toUpperCase(), name])) },
          `${agentId ? `Agent ${agentId}` : `User ${uid}`} has no such calls.`,
        ),
      );
      if (more && !options.json) say('There are more calls. Use a higher --limit, or "calls export" for all of them.');
    });
