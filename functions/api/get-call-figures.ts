import * as z from 'zod/mini';
import { Figures, FiguresQuery, FiguresRow } from '../domain/call-figures.ts';
import { choiceField, describe, describedObject, listField, markField } from '../domain/describe.ts';
import { invalidField } from '../domain/errors.ts';
import { examples } from '../domain/examples.ts';
import { AgentId, Uid } from '../domain/identifiers.ts';
import { withoutUndefined } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { callFigures } from '../figures/call-figures.ts';
import { readFigures } from '../figures/read-figures.ts';
import { toCsv } from '../figures/to-csv.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { type AgentAccess, agentAccess, type OwnedAgent } from '../store/agents/agent-access.ts';

/** Returns the number, the outcomes, the value and the cost of calls. */
export const getCallFigures = endpoint({
  name: 'getCallFigures',
  method: 'GET',
  path: '/call-figures',
  // The duration depends on the CPU.
  memoryMegabytes: 1769,
  summary: 'Get call figures',
  description:
    'Counts calls and adds up their durations, values and costs, by period and group, in a time zone. Figures follow the calls: a corrected outcome moves, a deleted call disappears. `pending` is present while calls that changed are not counted yet, for at most two minutes.',
  caller: { kind: 'key', scope: 'calls', user: ({ query: { uid, agentId } }) => ({ uid, agentId }) },
  services: { agentAccess: agentAccess.for('allOwned', 'find'), callFigures: callFigures.for('marksBetween', 'read') },
  query: z.object({
    uid: Uid,
    agentId: z.optional(
      AgentId.check(
        describe(
          `Only calls of this agent. Default: of all agents that the user owns, at most ${limits.figureAgents}; of more than ${limits.agentsOfManyDays} agents at most ${limits.daysOfManyAgents} days.`,
          examples.agentId,
        ),
      ),
    ),
    ...FiguresQuery.shape,
    format: z.optional(
      choiceField(
        ['json', 'csv'],
        '`csv`: the response is the rows as CSV; `pending` is the header `x-pending`.',
        'json',
      ),
    ),
  }),
  response: describedObject('The figures.', {
    rows: listField(FiguresRow, 'The figures by period, then by group. Every period has a row.'),
    totals: Figures,
    pending: z.optional(markField('Present while calls of these days have changed and are not counted yet.')),
  }),
  raw: {
    mediaTypes: ['text/csv'],
    inOtherForm: ({ query: { format, by } }, { rows, pending }) =>
      format === 'csv'
        ? {
            status: 200,
            contentType: 'text/csv; charset=utf-8',
            headers: withoutUndefined({ 'x-pending': pending && 'true' }),
            body: toCsv(rows, by),
          }
        : undefined,
  },

  async handle({ query: { uid, agentId, format: _, ...query } }, { agentAccess, callFigures }) {
    const asked =
      agentId === undefined
        ? await ownAgents(uid, query, agentAccess)
        : [{ agentId, valueCurrency: (await agentAccess.find(agentId))?.valueCurrency }];
    return readFigures(callFigures, asked, query);
  },
});

/** Returns the agents that the user owns, if their figures can be added up over these days. */
const ownAgents = async (
  uid: string,
  { from, to }: FiguresQuery,
  agentAccess: Pick<AgentAccess, 'allOwned'>,
): Promise<OwnedAgent[]> => {
  const { figureAgents: max, agentsOfManyDays, daysOfManyAgents } = limits;
  const owned = await agentAccess.allOwned(uid, {
    max,
    tooMany: () => invalidField('agentId', `is required: you own more than ${max} agents`),
  });
  if (owned.length > agentsOfManyDays && daysBetween(from, to) > daysOfManyAgents)
    throw invalidField(
      'to',
      `must be at most ${daysOfManyAgents} days after \`from\`: you own more than ${agentsOfManyDays} agents. Choose fewer days, or an \`agentId\``,
    );
  return owned;
};

const daysBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / (24 * 60 * 60 * 1000);

export const handler = lambda(getCallFigures);
