import * as z from 'zod/mini';
import { Figures, FiguresQuery, type FiguresRow } from '../domain/call-figures.ts';
import { chunks } from '../domain/chunks.ts';
import { component, describe, listField, markField, textField } from '../domain/describe.ts';
import { invalidField, noSuchUser } from '../domain/errors.ts';
import { examples } from '../domain/examples.ts';
import { limits } from '../domain/limits.ts';
import { describedPage, pageLimit, paging, readPage, toCursor } from '../domain/paging.ts';
import { callFigures } from '../figures/call-figures.ts';
import { readFigures } from '../figures/read-figures.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { agentAccess } from '../store/agents/agent-access.ts';
import { type Client, users } from '../store/users.ts';
import { chooseMaker } from '../users/chosen-maker.ts';

const defaultUsers = 10;
/** The clients whose figures are read at once. */
const concurrency = 4;

const { from, to, timeZone } = FiguresQuery.shape;

const AgentFigures = component(
  'AgentFigures',
  'The sums of the calls of an agent.',
  z.extend(z.omit(Figures, { valueCurrency: true }), { agentId: textField('Id of the agent.', examples.agentId) }),
);

const UserFigures = component(
  'UserFigures',
  'The sums of the calls of a client.',
  z.extend(Figures, {
    uid: textField('Id of the client.', examples.clientUid),
    agents: z.optional(
      listField(AgentFigures, 'The agents that had calls, sorted by `agentId`. Present with `clientUid`.'),
    ),
  }),
);

/** Returns the figures of the clients of the key's user, a row for each client. */
export const getUserFigures = endpoint({
  name: 'getUserFigures',
  method: 'GET',
  path: '/user-figures',
  // The duration depends on the CPU.
  memoryMegabytes: 1769,
  summary: 'Get the figures of users',
  description: `Adds up the calls of each client, with their values and costs: of all agents that it owns, over at most ${limits.userFigureDays} days. A client without calls has zeros. With \`clientUid\`, the sums of each agent of one client are there, too, without names. A page ends early, with \`nextCursor\`, where its clients have more than ${limits.userFigureAgents} agents together, or after ${limits.userFigureSeconds} seconds. \`pending\` is present while calls that changed are not counted yet, for at most two minutes.`,
  caller: { kind: 'key', scope: 'users', administersUsers: true },
  services: {
    users: users.for('clients', 'findClient'),
    agentAccess: agentAccess.for('allOwned'),
    callFigures: callFigures.for('marksBetween', 'read'),
  },
  query: z.object({
    from,
    to: to.check(describe(`The day after the last one. At most ${limits.userFigureDays} days.`, '2026-04-01')),
    timeZone,
    clientUid: z.optional(textField('Only this client, with the figures of its agents.', examples.clientUid)),
    limit: z.optional(
      pageLimit(limits.userFigures, `Maximum number of clients per page. Default: ${defaultUsers}.`, defaultUsers),
    ),
    cursor: paging.cursor,
  }),
  response: describedPage('A page of figures by client.', {
    users: listField(UserFigures, 'The clients, sorted by `uid`.'),
    pending: z.optional(markField('Present while calls of these days have changed and are not counted yet.')),
  }),
  errors: ['user_not_found'],

  async handle(
    { principal, query: { clientUid, limit = defaultUsers, cursor, ...query } },
    { users, agentAccess, callFigures },
  ) {
    if (Date.parse(query.to) - Date.parse(query.from) > limits.userFigureDays * 24 * 60 * 60 * 1000)
      throw invalidField('to', `must be at most ${limits.userFigureDays} days after \`from\``);
    const collection = `user-figures:${principal.uid}`;
    const page = { collection, limit, cursor, getPosition: ({ uid }: { uid: string }) => uid };
    const until = Date.now() + limits.userFigureSeconds * 1000;
    const client = clientUid === undefined ? undefined : await users.findClient(chooseMaker(principal), clientUid);
    if (clientUid !== undefined && !client) throw noSuchUser();
    const list = (options: { after?: string; limit?: number }) =>
      client ? [client] : users.clients(principal.uid, options);
    const { items, nextCursor } = await readPage<Client>(list, page);
    const by = clientUid === undefined ? undefined : { group: 'agent' as const };
    const readClient = async ({ uid }: { uid: string }) => {
      return { uid, ...(await readFigures(callFigures, await agentAccess.allOwned(uid), { ...query, by })) };
    };
    const rows: Awaited<ReturnType<typeof readClient>>[] = [];
    for (const some of chunks(takeFirst(items), concurrency)) {
      rows.push(...(await Promise.all(some.map(readClient))));
      if (Date.now() >= until) break;
    }
    const last = rows.at(-1);
    return {
      users: rows.map(({ uid, totals, rows }) => ({ uid, ...totals, agents: by && rows.map(toAgentFigures) })),
      nextCursor: last && rows.length < items.length ? toCursor(collection, last.uid) : nextCursor,
      pending: rows.find(({ pending }) => pending)?.pending,
    };
  },
});

const toAgentFigures = ({ agent, ...figures }: FiguresRow) => ({ ...figures, agentId: agent as string });

/** Returns the first clients that have as many agents as a page may have together, at least one. */
const takeFirst = (clients: Client[]): Client[] => {
  let agents = 0;
  const end = clients.findIndex((client, index) => {
    agents += client.agents;
    return index > 0 && agents > limits.userFigureAgents;
  });
  return end === -1 ? clients : clients.slice(0, end);
};

export const handler = lambda(getUserFigures);
