import { useState } from 'react';
import { type CheckUserBlockedNumberResponse, dataOf } from '../../../openapi/client/client.ts';
import { Link } from '../address.tsx';
import { useAgentName } from '../components/agent-filter.tsx';
import { Empty, Loaded, Section } from '../components/parts.tsx';
import { Facts, Status, Time, Who } from '../components/values.tsx';
import { refusedFields, useRead, useService } from '../service.tsx';
import { BlockDialog } from './block-dialog.tsx';
import { Unblock } from './unblock.tsx';

type Verdict = CheckUserBlockedNumberResponse;
type Entry = Verdict['entries'][number];
type LookUpProps = { number: string; agentId: string | undefined };

/** Shows whether a number is blocked, for which agents, by which list and why: for an agent, or for all agents of the user. */
export const LookUp = ({ number, agentId }: LookUpProps) => {
  const { scopes } = useService();
  // The dialog says what it did, although the number is blocked then.
  const [isBlocking, setBlocking] = useState(false);
  const verdict = useRead<Verdict>(['numbers', 'look-up', number, agentId], async (api, options) => {
    if (!agentId) return api.userBlockList.check({ number }, options);
    const result = await api.blockList.check({ agentId, number }, options);
    if (result.error) return result;
    const { blocked, scope = 'user', blockedAt = '', ...entry } = dataOf(result);
    const entries = blocked ? [{ scope, agentId: scope === 'agent' ? agentId : undefined, blockedAt, ...entry }] : [];
    return { data: { number: entry.number, blocked, entries }, response: result.response };
  });
  return (
    <Section title={`Look-up of ${number}`}>
      {refusedFields(verdict.error).length > 0 ? (
        <Empty title="This is not a phone number in international format">
          Begin with a plus sign and the code of the country, such as +1 415 555 0100.
        </Empty>
      ) : (
        <Loaded query={verdict} rows={2}>
          {({ number, blocked, entries }) => (
            <>
              {entries.map((entry) => (
                <EntryCard key={entry.agentId ?? ''} number={number} entry={entry} />
              ))}
              {!blocked && (
                <div className="card">
                  <p>
                    <Status tone="good" label="Not blocked" />
                  </p>
                  <p className="faint">
                    {agentId
                      ? 'Neither your own list nor that of the agent has the number.'
                      : 'Neither your own list nor that of any of your agents has the number.'}
                  </p>
                </div>
              )}
              <div className="buttons">
                {!blocked && (
                  <button type="button" className="quiet" onClick={() => setBlocking(true)}>
                    Block {number}
                  </button>
                )}
                {scopes.includes('calls') && (
                  <Link className="quiet" view="calls" filters={{ agentId, phone: number }}>
                    Calls with {number}
                  </Link>
                )}
              </div>
              {isBlocking && <BlockDialog numbers={number} agentId={agentId} onClose={() => setBlocking(false)} />}
            </>
          )}
        </Loaded>
      )}
    </Section>
  );
};

/** An entry of a list that blocks the number. */
const EntryCard = ({ number, entry }: { number: string; entry: Entry }) => {
  const { agentId, reason, blockedAt, expiresAt, keyId, keyName } = entry;
  const name = useAgentName(agentId ?? '');
  return (
    <div className="card">
      <p>
        <Status tone="bad" label={agentId === undefined ? 'Blocked for all agents' : `Blocked for ${name}`} />
      </p>
      <Facts
        facts={{
          Reason: reason ?? 'None given',
          Blocked: <Time at={blockedAt} />,
          By: keyId && <Who keyId={keyId} keyName={keyName} />,
          Until: expiresAt ? <Time at={expiresAt} /> : 'You unblock it',
        }}
      />
      <div className="buttons">
        <Unblock number={number} agentId={agentId} />
      </div>
    </div>
  );
};
