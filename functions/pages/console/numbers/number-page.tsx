import { useState } from 'react';
import type { Call } from '../../../openapi/client/client.ts';
import { Link } from '../address.tsx';
import { callFilters, listColumns } from '../calls/call-columns.tsx';
import { OutcomeColors } from '../components/outcome.tsx';
import { type Column, Table } from '../components/paged-table.tsx';
import { Empty, Loaded, Section } from '../components/parts.tsx';
import { Time } from '../components/values.tsx';
import { useRead, useService } from '../service.tsx';
import { BlockDialog } from './block-dialog.tsx';
import { CallChecks } from './call-checks.tsx';
import { Consents } from './consents.tsx';
import { ForNumber, ListDecision } from './decision.tsx';
import { PersonData } from './person-data.tsx';

type Props = { number: string; agentId: string | undefined };

/** A number: why it may call and be called or not, its consents, its calls, and the person’s data. */
export const NumberPage = ({ number: typed, agentId }: Props) => {
  // The dialog says what it did, although the number is blocked then.
  const [isBlocking, setBlocking] = useState(false);
  return (
    <ForNumber number={typed} agentId={agentId}>
      {(decision) => {
        const { number, blocked } = decision;
        return (
          <>
            <Section
              title="May it call?"
              actions={
                !blocked && (
                  <button type="button" className="quiet" onClick={() => setBlocking(true)}>
                    Block {number}
                  </button>
                )
              }
            >
              <ListDecision decision={decision} agentId={agentId} />
              {isBlocking && <BlockDialog numbers={number} agentId={agentId} onClose={() => setBlocking(false)} />}
            </Section>
            <CallChecks number={number} agentId={agentId} />
            <Consents number={number} />
            <LatestCalls number={number} agentId={agentId} />
            <PersonData number={number} />
          </>
        );
      }}
    </ForNumber>
  );
};

const LatestCalls = (props: Props) => (useService().scopes.includes('calls') ? <CallsOfNumber {...props} /> : null);

const shownCalls = 10;

const CallsOfNumber = ({ number, agentId }: Props) => {
  const calls = useRead(['calls', 'of-number', number, agentId], (api, options) => {
    const search = { phone: number, limit: shownCalls };
    return agentId ? api.calls.list({ agentId, ...search }, options) : api.calls.listAll(search, options);
  });
  return (
    <Section
      title="Calls"
      actions={
        <Link className="quiet" view="calls" filters={{ agentId, phone: number }}>
          Calls with {number}
        </Link>
      }
    >
      <OutcomeColors>
        <Loaded query={calls}>
          {({ calls }) => (
            <Table
              caption="Calls"
              items={calls}
              keyOf={({ callId }) => callId}
              columns={columns}
              empty={<Empty title="There is no call with this number" />}
            />
          )}
        </Loaded>
      </OutcomeColors>
    </Section>
  );
};

const columns: Column<Call>[] = [
  {
    heading: 'Started',
    cell: (call) => (
      <Link view="calls" filters={{ phone: call.phone, ...callFilters(call) }}>
        <Time at={call.startedAt} />
      </Link>
    ),
  },
  ...listColumns.filter(({ name }) => name !== 'startedAt' && name !== 'phone'),
];
