import { useState } from 'react';
import type { CheckBlockedNumberResponse } from '../../../openapi/client/client.ts';
import { dataOf } from '../../../openapi/client/client.ts';
import { Link } from '../address.tsx';
import { useAgentChoices, useAgentName } from '../components/agent-filter.tsx';
import { Facts } from '../components/facts.tsx';
import { Section } from '../components/section.tsx';
import { Empty, Failed, Loaded } from '../components/states.tsx';
import { Status } from '../components/status.tsx';
import { Time } from '../components/time.tsx';
import { useRead, useService } from '../service.tsx';
import { BlockDialog } from './block-dialog.tsx';
import { Unblock } from './unblock.tsx';

/** The maximum number of agents that a number is checked for at once. */
const maxAgents = 25;

/** Shows whether a number is blocked, for which agents, by which list and why. */
export const LookUp = ({ number, agentId }: { number: string; agentId: string | undefined }) => {
  const { scopes } = useService();
  const choices = useAgentChoices();
  if (agentId) return <Verdicts number={number} agentIds={[agentId]} />;
  if (!scopes.includes('agents')) {
    return (
      <Empty title="Enter the ID of an agent">
        <p>This API key may not list agents. A number is looked up for one agent, with the list of its owner.</p>
      </Empty>
    );
  }
  return (
    <Loaded query={choices} rows={2}>
      {(agents) => {
        const agentIds = agents.slice(0, maxAgents).map(({ agentId }) => agentId);
        const isPart = agents.length > maxAgents;
        if (agentIds.length === 0) return <Empty title="There is no agent that a number could be blocked for" />;
        return <Verdicts number={number} agentIds={agentIds} isPart={isPart} />;
      }}
    </Loaded>
  );
};

type Verdict = CheckBlockedNumberResponse & { agentId: string };
type VerdictsProps = { number: string; agentIds: string[]; isPart?: boolean };

const Verdicts = ({ number, agentIds, isPart = false }: VerdictsProps) => {
  const { api } = useService();
  const [isBlocking, setBlocking] = useState(false);
  const verdicts = useRead(['numbers', 'look-up', number, agentIds], async (options) => {
    const results = await Promise.all(agentIds.map((agentId) => api.blockList.check({ agentId, number }, options)));
    const failed = results.find(({ error }) => error);
    if (failed?.error) return failed;
    const data = results.map((result, index): Verdict => ({ ...dataOf(result), agentId: agentIds[index] ?? '' }));
    return { data, response: new Response() };
  });
  // An error of the number itself is worded for the person who typed it.
  const isMalformed = verdicts.error && 'status' in verdicts.error && verdicts.error.status === 400;
  return (
    <Section title={`Look-up of ${number}`}>
      {isMalformed ? (
        <Empty title="This is not a phone number in international format">
          <p>Begin with a plus sign and the code of the country, such as +1 415 555 0100.</p>
        </Empty>
      ) : verdicts.error ? (
        <Failed error={verdicts.error} onRetry={() => void verdicts.refetch()} />
      ) : (
        <Loaded query={verdicts} rows={2}>
          {(data) => (
            <>
              <Entries verdicts={data} />
              {isPart && (
                <p className="faint">
                  The first {maxAgents} agents were asked. Choose an agent to look the number up for another one.
                </p>
              )}
              {data.every(({ blocked }) => !blocked) && (
                <div className="buttons">
                  <button type="button" className="quiet" onClick={() => setBlocking(true)}>
                    Block {data[0]?.number}
                  </button>
                </div>
              )}
              {isBlocking && (
                <BlockDialog
                  numbers={data[0]?.number ?? ''}
                  agentId={agentIds.length === 1 ? agentIds[0] : undefined}
                  onClose={() => setBlocking(false)}
                />
              )}
            </>
          )}
        </Loaded>
      )}
    </Section>
  );
};

/** The entries that block a number. The user's entry is shown once, and each agent's separately. */
const Entries = ({ verdicts }: { verdicts: Verdict[] }) => {
  const ofUser = verdicts.find(({ scope }) => scope === 'user');
  const ofAgents = verdicts.filter(({ scope }) => scope === 'agent');
  if (!ofUser && ofAgents.length === 0) {
    return (
      <div className="card">
        <p>
          <Status tone="good">Not blocked</Status>
        </p>
        <CallsOf verdict={verdicts[0]} />
      </div>
    );
  }
  return [...(ofUser ? [ofUser] : []), ...ofAgents].map((verdict) => <Entry key={verdict.agentId} verdict={verdict} />);
};

const Entry = ({ verdict }: { verdict: Verdict }) => {
  const { number, agentId, scope, reason, blockedAt, expiresAt } = verdict;
  const name = useAgentName(agentId);
  return (
    <div className="card">
      <p>
        <Status tone="bad">{scope === 'user' ? 'Blocked for all agents' : <>Blocked for {name}</>}</Status>
      </p>
      <Facts
        facts={{
          Reason: reason ?? 'None given',
          Blocked: blockedAt && <Time at={blockedAt} />,
          Until: expiresAt ? <Time at={expiresAt} /> : 'It is unblocked',
        }}
      />
      <div className="buttons">
        <Unblock number={number} agentId={scope === 'agent' ? agentId : undefined} />
      </div>
      <CallsOf verdict={verdict} />
    </div>
  );
};

const CallsOf = ({ verdict }: { verdict: Verdict | undefined }) => {
  const { scopes } = useService();
  if (!verdict || !scopes.includes('calls')) return null;
  return (
    <Link view="calls" filters={{ agentId: verdict.agentId, phone: verdict.number }}>
      Calls with {verdict.number}
    </Link>
  );
};
