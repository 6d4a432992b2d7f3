import type { Call } from '../../../../functions/domain/calls.ts';
import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { as, wholeNumber } from '../../../command-line/arguments.ts';
import { selectingCalls, toSelection } from '../../../command-line/call-filter.ts';
import { print, say, table } from '../../../command-line/output.ts';
import { selectedCalls } from '../../calls/selected-calls.ts';
import { existingAgent } from '../../existing.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const listCalls = (calls: Group) =>
  selectingCalls(
    calls
      .command('list')
      .description('List calls of an agent, the newest first')
      .requiredOption('--agent-id <id>', 'the agent', as(Identifier))
      .option('--limit <number>', 'the maximum number of calls', wholeNumber(1, 10_000), 50),
  )
    .addHelpText(
      'after',
      examples('calls list --agent-id front-desk', 'calls list --agent-id front-desk --from 7d --without-outcome'),
    )
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { agentId, limit } = options;
      const stores = await openStores(options);
      await existingAgent(stores.agents, agentId);
      const found: Call[] = [];
      let more = false;
      for await (const call of selectedCalls(stores, agentId, toSelection(options))) {
        more = found.length === limit;
        if (more) break;
        found.push(call);
      }
      print(options, { agentId, calls: found, more }, () =>
        table(
          found,
          {
            CALL: 'callId',
            STARTED: 'startedAt',
            DIRECTION: 'direction',
            PHONE: 'phone',
            STATUS: 'status',
            OUTCOME: 'custom_call_outcome',
            VALUE: 'custom_call_outcome_value',
          },
          `Agent ${agentId} has no such calls.`,
        ),
      );
      if (more && !options.json) say('There are more calls. Use a higher --limit, or "calls export" for all of them.');
    });
