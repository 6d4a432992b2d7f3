import { useState } from 'react';
import type { Call } from '../../../openapi/client/client.ts';
import { setFilters } from '../address.tsx';
import { useAgentName } from '../components/agent-filter.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Facts } from '../components/facts.tsx';
import { TextField } from '../components/fields.tsx';
import { InlineForm } from '../components/form.tsx';
import { Json } from '../components/json.tsx';
import { Loaded } from '../components/states.tsx';
import { Time } from '../components/time.tsx';
import { formatDuration } from '../formats.ts';
import { useChange, useRead, useService } from '../service.tsx';

/** A call with its details and the history of its outcome, which can be set. */
export const CallDialog = ({ agentId, callId }: { agentId: string; callId: string }) => {
  const { api } = useService();
  const call = useRead(['call', agentId, callId], (options) =>
    api.calls.get({ agentId, callIdOrPhone: callId }, options),
  );
  return (
    <Dialog title="Call" isWide onClose={() => setFilters({ callId: undefined })}>
      <Loaded query={call} rows={6}>
        {(data) => (
          <div className="stack">
            <CallFacts call={data} />
            <Outcome key={data.outcomeUpdatedAt} call={data} />
            <History call={data} />
            {data.custom_call_metadata && <Json title="Metadata" value={data.custom_call_metadata} />}
            {data.details && <Json title="Details" value={data.details} />}
          </div>
        )}
      </Loaded>
    </Dialog>
  );
};

const CallFacts = ({ call }: { call: Call }) => {
  const { agentId, callId, phone, direction, startedAt, endedAt, durationSeconds, status } = call;
  const agent = useAgentName(agentId);
  return (
    <Facts
      facts={{
        'Phone number': phone ?? 'Withheld',
        Direction: direction === 'inbound' ? 'Inbound' : 'Outbound',
        Agent: agent,
        Started: <Time at={startedAt} hasSeconds />,
        Ended: endedAt && <Time at={endedAt} hasSeconds />,
        Duration: durationSeconds !== undefined ? formatDuration(durationSeconds) : undefined,
        Status: status,
        'Call ID': <code>{callId}</code>,
      }}
    />
  );
};

/** Sets the outcome and its value. An empty field clears it. */
const Outcome = ({ call }: { call: Call }) => {
  const { api } = useService();
  const { agentId, callId, custom_call_outcome, custom_call_outcome_value } = call;
  const [outcome, setOutcome] = useState(custom_call_outcome ?? '');
  const [value, setValue] = useState(custom_call_outcome_value?.toString() ?? '');
  const number = Number(value);
  const problem = value.trim() !== '' && !Number.isFinite(number) ? 'Enter a number, such as 149.50.' : undefined;
  const change = useChange(
    () =>
      api.calls.updateOutcome({
        ...{ agentId, callIdOrPhone: callId },
        custom_call_outcome: outcome.trim() === '' ? null : outcome.trim(),
        custom_call_outcome_value: value.trim() === '' ? null : number,
      }),
    { changes: [['call', agentId, callId], ['calls'], ['figures']], done: () => 'The outcome is saved.' },
  );
  return (
    <InlineForm
      change={change}
      submit="Save outcome"
      pending="Saving …"
      onSubmit={() => !problem && change.mutate(undefined)}
    >
      <TextField label="Outcome" maxLength={256} value={outcome} onChange={setOutcome} />
      <TextField label="Value" problem={problem} inputMode="decimal" value={value} onChange={setValue} />
    </InlineForm>
  );
};

const fieldNames = {
  custom_call_outcome: 'outcome',
  custom_call_outcome_value: 'value',
  custom_call_metadata: 'metadata',
};

const History = ({ call: { outcomeHistory = [] } }: { call: Call }) =>
  outcomeHistory.length > 0 && (
    <section>
      <h3>History of the outcome</h3>
      <ol className="history">
        {outcomeHistory.toReversed().map(({ at, keyId, fields }) => (
          <li key={at}>
            <Time at={at} hasSeconds />: {fields.map((field) => fieldNames[field]).join(', ')} set{' '}
            <span className="faint">
              with <code>{keyId}</code>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
