import type { ReactNode } from 'react';
import { chunks } from '../../../domain/chunks.ts';
import { type ApiClient, dataOf, type RequestOptions, type User } from '../../../openapi/client/client.ts';
import { type Filters, Link } from '../address.tsx';
import { isRefused, voicePlatforms } from '../agents/voice-platforms.ts';
import { useAgentChoices } from '../components/agent-filter.tsx';
import { useHeldCount } from '../components/outcome.tsx';
import { formatMoney, formatNumber, formatPercent } from '../formats.ts';
import { type Scope, useAllPages, useRead, useService } from '../service.tsx';
import { useEndpoints, useFailure } from '../webhooks/endpoint-status.tsx';

/** The maximum number of agents whose knowledge and comparisons are read: those that were changed last. */
const maxAgents = 25;
const agentsAtOnce = 4;
/** What takes a request for each agent is read at most every five minutes. */
const staleMilliseconds = 5 * 60_000;
const dayMilliseconds = 24 * 60 * 60_000;
/** The share of a budget from which on its user is told. */
const toldShare = 0.8;

/** What waits for a person, each with the way to it. It has no place while nothing does. */
export const ToDo = () => (
  <section className="to-do" aria-labelledby="to-do">
    <h2 id="to-do">To do</h2>
    <ul>
      <With scope="calls" content={HeldOutcomes} />
      <With scope="webhooks" content={FailingEndpoints} />
      <With scope="knowledge" content={DamagedSources} />
      <With scope="hooks" content={RefusedPlatforms} />
      <With scope="calls" content={RecoveredCalls} />
      <Budgets />
    </ul>
  </section>
);

const With = ({ scope, content: Content }: { scope: Scope; content(): ReactNode }) =>
  useService().scopes.includes(scope) && <Content />;

type ItemProps = { view: string; filters?: Filters; isBad?: boolean; children: ReactNode };

const Item = ({ view, filters, isBad = false, children }: ItemProps) => (
  <li>
    <Link className={isBad ? 'status bad' : 'status working'} view={view} filters={filters}>
      <span>{children}</span>
    </Link>
  </li>
);

const count = (number: number, one: string, several: string) =>
  `${formatNumber(number)} ${number === 1 ? one : several}`;

const HeldOutcomes = () => {
  const held = useHeldCount();
  return (
    held > 0 && (
      <Item view="calls" filters={{ held: 'true' }}>
        {count(held, 'outcome is held: set or clear it', 'outcomes are held: set or clear them')}
      </Item>
    )
  );
};

const FailingEndpoints = () =>
  useEndpoints().data?.endpoints.map((endpoint) => <FailingEndpoint key={endpoint.endpointId} endpoint={endpoint} />);

const FailingEndpoint = ({ endpoint }: Parameters<typeof useFailure>[0] & object) => {
  const failure = useFailure({ endpoint });
  return (
    failure && (
      <Item view="webhooks" filters={{ endpointId: endpoint.endpointId }} isBad>
        The webhook <bdi>{new URL(endpoint.url).host}</bdi> fails: {failure.reason}
      </Item>
    )
  );
};

/** Returns the own agents that were changed last. */
const useLastAgents = () => {
  const { uid } = useService();
  const own = useAgentChoices().data?.filter((agent) => agent.uid === uid) ?? [];
  return own.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)).slice(0, maxAgents);
};

/** Reads something of each agent, and keeps all of it for some minutes. */
const useOfAgents = <Found,>(
  name: string,
  agentIds: string[],
  read: (api: ApiClient, agentId: string, options: RequestOptions) => Promise<Found[]>,
) =>
  useAllPages(
    ['to-do', name, agentIds],
    async function* (api, options) {
      for (const some of chunks(agentIds, agentsAtOnce)) {
        const found = await Promise.all(some.map((agentId) => read(api, agentId, options)));
        yield* found.flat();
      }
    },
    { enabled: agentIds.length > 0, staleMilliseconds },
  ).data ?? [];

const DamagedSources = () => {
  const agents = useLastAgents();
  const failed = useOfAgents(
    'sources',
    agents.map(({ agentId }) => agentId),
    async (api, agentId, options) => {
      const search = { agentId, content: false, limit: 200 };
      const [documents, websites] = await Promise.all([
        api.documents.list(search, options),
        api.websites.list(search, options),
      ]);
      const sources = [
        ...dataOf(documents).documents.map(({ id, name, status }) => ({ sourceId: id, name, status })),
        ...dataOf(websites).websites.map(({ id, url, status }) => ({ sourceId: id, name: url, status })),
      ];
      return sources.filter(({ status }) => status === 'failed').map((source) => ({ agentId, ...source }));
    },
  );
  return failed.map(({ agentId, sourceId, name }) => (
    <Item key={sourceId} view="knowledge" filters={{ agentId, sourceId }} isBad>
      <bdi>{name}</bdi> cannot be read
    </Item>
  ));
};

const RecoveredCalls = () => {
  const agents = useLastAgents().filter(({ configuration }) => configuration.platform?.reconcile);
  const names = new Map(agents.map(({ agentId, name }) => [agentId, name]));
  const recovered = useOfAgents('recovered', [...names.keys()], async (api, agentId, options) => {
    const { reconciliations } = dataOf(await api.reconciliations.list({ agentId, limit: 24 }, options));
    const yesterday = new Date(Date.now() - dayMilliseconds).toISOString();
    const calls = reconciliations
      .filter(({ createdAt }) => createdAt > yesterday)
      .reduce((sum, { recovered, completed }) => sum + recovered + completed, 0);
    return calls > 0 ? [{ agentId, calls }] : [];
  });
  return recovered.map(({ agentId, calls }) => (
    <Item key={agentId} view="agents" filters={{ agentId, section: 'platform' }}>
      The ends of {count(calls, 'call', 'calls')} of <bdi>{names.get(agentId)}</bdi> did not arrive, and were recovered
    </Item>
  ));
};

const RefusedPlatforms = () => {
  const { data } = useRead(['hookSecrets'], (api, options) => api.hookSecrets.list({}, options));
  const agents = useLastAgents();
  const refused = data?.hookSecrets.filter(isRefused) ?? [];
  return refused.map(({ platform }) => {
    const agent = agents.find(({ configuration }) => configuration.platform?.name === platform) ?? agents[0];
    const { title } = voicePlatforms[platform as keyof typeof voicePlatforms] ?? { title: platform };
    return (
      <Item
        key={platform}
        view="agents"
        filters={{ agentId: agent?.agentId, section: agent && 'connect', platform }}
        isBad
      >
        A request of {title} was refused
      </Item>
    );
  });
};

const Budgets = () => {
  const { budget, scopes } = useService();
  return (
    <>
      {budget && budget.share >= toldShare && (
        <Item view="" isBad={budget.share >= 1}>
          {describeSpending(budget)} of the budget are spent
        </Item>
      )}
      {scopes.includes('users') && <ClientBudgets />}
    </>
  );
};

const describeSpending = ({ share, amount, currency }: NonNullable<User['budget']>) =>
  `${formatPercent(share)} of ${formatMoney(amount, currency)}`;

const ClientBudgets = () => {
  const clients = useAllPages(['clients', 'all'], (api, options) => api.users.list({ limit: 500 }, options)).data ?? [];
  return clients.map(
    ({ uid, name, budget }) =>
      budget &&
      budget.share >= toldShare && (
        <Item key={uid} view="clients" filters={{ client: uid }} isBad={budget.share >= 1}>
          <bdi>{name ?? uid}</bdi> has spent {describeSpending(budget)}
        </Item>
      ),
  );
};
