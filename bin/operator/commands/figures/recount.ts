import pMap from 'p-map';
import { CallFigures } from '../../../../functions/figures/call-figures.ts';
import { recountDay } from '../../../../functions/figures/recount.ts';
import { print, record } from '../../../command-line/output.ts';
import { chosenAgents, chosenAgentsCommand } from '../../chosen-agents.ts';
import type { Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

/** The number of an agent's days that are counted at once. */
const concurrency = 8;

export const recountFigures = (figures: Group) =>
  chosenAgentsCommand(
    figures,
    'figures recount',
    'Recount the calls of agents on all days',
    ['--uid user-1', '--agent-id front-desk --stack voice-agents-prod'],
    `
The service counts calls again whenever they change. In a table that was restored from a backup, figures may not match the
calls. Recounting correct figures changes nothing. Figures of calls that the retention has deleted stay.
`,
  ).action(async (_, command) => {
    const options = command.optsWithGlobals();
    const stores = await openStores(options);
    const agentIds = await chosenAgents(stores, options);
    const callFigures = new CallFigures(stores.table);
    let days = 0;
    for (const id of agentIds) {
      const found = new Set([
        ...(await callFigures.days(id)),
        ...(await Array.fromAsync(callFigures.daysWithCalls(id))),
      ]);
      await pMap(found, (day) => recountDay({ agentId: id, day }, callFigures), { concurrency });
      days += found.size;
    }
    print(options, { agents: agentIds.length, days }, () => record({ agents: agentIds.length, 'days counted': days }));
  });
