import type { ReactNode } from 'react';
import { type CheckUserBlockedNumberResponse, dataOf } from '../../../openapi/client/client.ts';
import { Link } from '../address.tsx';
import { AgentName, useAgentName } from '../components/agent-filter.tsx';
import { Empty, Loaded } from '../components/parts.tsx';
import { Facts, Status, Time, Who } from '../components/values.tsx';
import { formatPhone } from '../formats.ts';
import { refusedFields, useRead } from '../service.tsx';
import { allowsNumber, useRules } from './rules-of-list.ts';
import { Unblock } from './unblock.tsx';

type Decision = CheckUserBlockedNumberResponse;
type Entry = Decision['entries'][number];
type Props = { number: string; agentId: string | undefined };

/** Reads whether lists block a number: those that an agent follows, or the own list and those of all agents. */
const useDecision = (number: string, agentId: string | undefined) =>
  useRead<Decision>(['numbers', 'decision', number, agentId], async (api, options) => {
    if (!agentId) return api.userBlockList.check({ number }, options);
    const result = await api.blockList.check({ agentId, number }, options);
    if (result.error) return result;
    const { blocked, scope = 'user', blockedAt = '', ...entry } = dataOf(result);
    const entries = blocked ? [{ scope, agentId: scope === 'agent' ? agentId : undefined, blockedAt, ...entry }] : [];
    return { data: { number: entry.number, blocked, entries }, response: result.response };
  });

/** Shows what is about a number, once the service has read it and its lists. */
export const ForNumber = ({ number, agentId, children }: Props & { children(decision: Decision): ReactNode }) => {
  const decision = useDecision(number, agentId);
  if (refusedFields(decision.error).length === 0) {
    return (
      <Loaded query={decision} rows={2}>
        {children}
      </Loaded>
    );
  }
  return (
    <Empty title="This is not a phone number in international format">
      Begin with a plus sign and the code of the country, such as +1 415 555 0100.
    </Empty>
  );
};

/** A number as the service reads it. */
export const NumberName = ({ number, agentId }: Props) => (
  <bdi>{formatPhone(useDecision(number, agentId).data?.number ?? number)}</bdi>
);

type DecisionProps = Pick<Props, 'agentId'> & { decision: Decision };

/** What the block lists and their rules decide about a number, and why. */
export const ListDecision = ({ decision: { number, blocked, entries }, agentId }: DecisionProps) =>
  blocked ? (
    entries.map((entry) => <EntryCard key={entry.agentId ?? ''} number={number} entry={entry} />)
  ) : (
    <div className="card">
      <p>
        <Status tone="good" label="Not blocked" />
      </p>
      <WhyNotBlocked number={number} agentId={agentId} />
    </div>
  );

/** An entry of a list that blocks the number: of the number itself, or of a prefix. */
const EntryCard = ({ number, entry }: { number: string; entry: Entry }) => {
  const { agentId, prefix, reason, blockedAt, expiresAt, keyId, keyName } = entry;
  const name = useAgentName(agentId ?? '');
  return (
    <div className="card">
      <p>
        <Status tone="bad" label={agentId === undefined ? 'Blocked for all agents' : `Blocked for ${name}`} />
      </p>
      <Facts
        facts={{
          Prefix: prefix && <code>{prefix}</code>,
          Reason: reason ?? 'None given',
          Blocked: <Time at={blockedAt} />,
          By: <BlockedBy keyId={keyId} keyName={keyName} />,
          Until: expiresAt ? <Time at={expiresAt} /> : prefix ? undefined : 'You unblock it',
        }}
      />
      <p className="faint">
        {prefix
          ? 'A prefix decides: neither list has the number itself, neither allows it, and no longer prefix fits.'
          : 'The entry of the number itself decides. It comes before all rules.'}
      </p>
      <div className="buttons">
        {prefix ? (
          <Link className="quiet small" view="numbers" filters={{ section: 'rules', agentId, test: number }}>
            Rules
          </Link>
        ) : (
          <Unblock number={number} agentId={agentId} />
        )}
      </div>
    </div>
  );
};

/** Who blocked a number. The outcome of a call blocks without a key where a voice platform signs. */
export const BlockedBy = ({ keyId, keyName }: Pick<Entry, 'keyId' | 'keyName'>) =>
  keyId ? (
    <Who keyId={keyId} keyName={keyName} />
  ) : (
    <span className="faint">No key: a voice platform or the operator</span>
  );

/** Says which rule lets a number through, if one does. */
const WhyNotBlocked = ({ number, agentId }: Props) => {
  const lists = [useRules(undefined).data, useRules(agentId).data];
  const place = lists.findIndex((rules) => rules && allowsNumber(rules, number));
  return (
    <p className="faint">
      {place >= 0 ? (
        <>
          The number is allowed for {place === 0 ? 'all agents' : <AgentName agentId={agentId} />}. That comes before
          every prefix.
        </>
      ) : agentId ? (
        'Neither your own list nor that of the agent has the number, and no prefix of theirs fits.'
      ) : (
        'Neither your own list nor that of any of your agents has the number, and no prefix of theirs fits.'
      )}
    </p>
  );
};
