import type { Agent, RejectedNumber } from '../../../openapi/client/client.ts';
import { useAgentChoices } from '../components/agent-filter.tsx';
import { type Column, Table } from '../components/paged-table.tsx';
import { Empty, Failed, Section } from '../components/parts.tsx';
import { Status, Time } from '../components/values.tsx';
import { formatNumber } from '../formats.ts';
import { useRead, useService } from '../service.tsx';

type Calling = NonNullable<Agent['configuration']['calling']>;
type Check = { agent: Agent; number: string };

/** Each agent is one request. */
const maxAgents = 20;

/** Whether agents may call a number now, and why not. */
export const CallChecks = ({ number, agentId }: { number: string; agentId: string | undefined }) => {
  const { scopes } = useService();
  const all = useAgentChoices().data?.filter((agent) => !agentId || agent.agentId === agentId) ?? [];
  const agents = all.slice(0, maxAgents);
  if (!scopes.includes('hooks') || !scopes.includes('agents')) return null;
  return (
    <Section title="May it be called now?">
      <Table
        caption="May it be called now?"
        items={agents.map((agent): Check => ({ agent, number }))}
        keyOf={({ agent }) => agent.agentId}
        columns={columns}
        empty={<Empty title="There is no agent that could call" />}
      />
      {all.length > agents.length && (
        <p className="faint">
          These are {maxAgents} of {formatNumber(all.length)} agents. Choose another agent above.
        </p>
      )}
    </Section>
  );
};

const useCheck = ({ agent: { agentId }, number }: Check) =>
  useRead(['numbers', 'call-check', number, agentId], (api, options) =>
    api.callStartChecks.check({ agentId, numbers: [number] }, options),
  );

const Verdict = (check: Check) => {
  const { data, error, refetch } = useCheck(check);
  if (error) return <Failed error={error} onRetry={() => void refetch()} />;
  if (!data) return <span className="faint">Checking …</span>;
  return data.rejected[0] ? <Status tone="bad" label="No" /> : <Status tone="good" label="Yes" />;
};

const Cause = (check: Check) => {
  const rejected = useCheck(check).data?.rejected[0];
  return rejected && describeCause(rejected, check.agent.configuration.calling);
};

const RetryAt = (check: Check) => {
  const at = useCheck(check).data?.rejected[0]?.retryAt;
  return at && <Time at={at} />;
};

const describeCause = ({ cause, scope, prefix }: RejectedNumber, calling: Calling | undefined): string => {
  const purpose = calling?.consent?.purpose ?? 'the purpose of the agent';
  switch (cause) {
    case 'blocked':
      return `${scope === 'agent' ? 'The list of the agent' : 'Your own list'} blocks ${prefix ?? 'the number'}`;
    case 'budget':
      return 'The budget is spent';
    case 'no_consent':
      return `No consent to ${purpose}`;
    case 'consent_revoked':
      return `The consent to ${purpose} is revoked`;
    case 'consent_expired':
      return `The consent to ${purpose} is over`;
    case 'outside_hours':
      return 'Outside calling hours where the person is';
    case 'too_many_attempts':
      return 'Called too often';
  }
};

/** Returns the rules for outbound calls in words, each in a line. */
const listRules = ({ consent, hours, attempts = [] }: Calling = {}): string[] =>
  [
    consent && `Consent to ${consent.purpose}${consent.maxAgeDays ? `, at most ${consent.maxAgeDays} days old` : ''}`,
    hours && `${hours.from}–${hours.to}${hours.days ? ` on ${hours.days.join(', ')}` : ''}`,
    ...attempts.map(({ max, hours }) => `At most ${formatNumber(max)} in ${formatNumber(hours)} hours`),
  ].filter((rule) => rule !== undefined);

const columns: Column<Check>[] = [
  { heading: 'Agent', isLong: true, cell: ({ agent }) => <bdi>{agent.name}</bdi> },
  { heading: 'Now', cell: (check) => <Verdict {...check} /> },
  { heading: 'Why', isLong: true, cell: (check) => <Cause {...check} /> },
  { heading: 'Again from', cell: (check) => <RetryAt {...check} /> },
  {
    heading: 'Rules of the agent',
    isLong: true,
    cell: ({ agent: { configuration } }) => listRules(configuration.calling).map((rule) => <p key={rule}>{rule}</p>),
  },
];
