import type { Call } from '../../../../functions/domain/calls.ts';
import { wholeNumber } from '../../../command-line/arguments.ts';
import { toSelection } from '../../../command-line/call-filter.ts';
import { print, say, table } from '../../../command-line/output.ts';
import { selectedCallsCommand, withSelectedCalls } from '../../calls/selected-calls.ts';
import type { Group } from '../../program.ts';

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
      print(options, { agentId, uid, calls: found, more }, () =>
        table(
          found,
          {
            ...(uid !== undefined && { AGENT: 'agentId' as const }),
            CALL: 'callId',
            STARTED: 'startedAt',
            DIRECTION: 'direction',
            PHONE: 'phone',
            STATUS: 'status',
            OUTCOME: 'custom_call_outcome',
            VALUE: 'custom_call_outcome_value',
          },
          `${agentId ? `Agent ${agentId}` : `User ${uid}`} has no such calls.`,
        ),
      );
      if (more && !options.json) say('There are more calls. Use a higher --limit, or "calls export" for all of them.');
    });
