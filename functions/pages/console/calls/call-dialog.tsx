import { type ReactNode, type RefObject, useRef, useState } from 'react';
import type { Call, UpdateCallOutcomeParams } from '../../../openapi/client/client.ts';
import { Link, setFilters } from '../address.tsx';
import { useAgent } from '../components/agent-filter.tsx';
import { Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/fields.tsx';
import { Form } from '../components/form.tsx';
import { OutcomeBadge, useValues } from '../components/outcome.tsx';
import { Details, Failed, Loaded } from '../components/parts.tsx';
import { Picker } from '../components/picker.tsx';
import { Facts, Json, Time, Who } from '../components/values.tsx';
import { formatNumber, formatPhone, formatValue } from '../formats.ts';
import { useChange, useRead, useService } from '../service.tsx';
import { callFilters, readFacts } from './call-columns.tsx';
import { Transcript } from './transcript.tsx';

type CallDialogProps = {
  agentId: string;
  callId: string;
  neighbors: (Call | undefined)[];
  /** The call that follows when the outcome of this one is decided. */
  next?: Call | undefined | false;
};

/** A call with its details and the history of its outcome, which can be set. `neighbors` are those before and after it in the list. */
export const CallDialog = ({ agentId, callId, neighbors, next }: CallDialogProps) => {
  const call = useRead(['call', agentId, callId], (api, options) =>
    api.calls.get({ agentId, callIdOrPhone: callId }, options),
  );
  const phone = call.data?.phone;
  return (
    <Dialog
      title={phone ? `Call with ${formatPhone(phone)}` : 'Call'}
      isPanel
      subject={callId}
      onClose={() => setFilters({ callId: undefined, callOf: undefined })}
    >
      <div className="stack">
        <div className="buttons">
          {['Newer call', 'Older call'].map((label, index) => (
            <button
              key={label}
              type="button"
              className="quiet small"
              disabled={!neighbors[index]}
              onClick={() => setFilters(callFilters(neighbors[index]), { replace: true })}
            >
              {label}
            </button>
          ))}
        </div>
        <Loaded query={call} rows={6}>
          {(data) => (
            <>
              <CallFacts call={data} />
              <Held call={data} onDecided={() => next && setFilters(callFilters(next), { replace: true })} />
              <Outcome key={data.callId + data.outcomeUpdatedAt} call={data} />
              <PlatformDetails call={data} />
              <History call={data} />
              {data.custom_call_metadata && <Json title="Metadata" value={data.custom_call_metadata} />}
              {data.details && (
                <Details title="All details">
                  <Json title="Details" value={data.details} />
                </Details>
              )}
            </>
          )}
        </Loaded>
      </div>
    </Dialog>
  );
};

const CallFacts = ({ call }: { call: Call }) => {
  const { scopes } = useService();
  const { agentId, phone } = call;
  return (
    <>
      <Facts facts={readFacts(call)} />
      {phone && (
        <div className="buttons">
          <Link className="quiet small" view="calls" filters={{ agentId, phone }}>
            All calls with this number
          </Link>
          {scopes.includes('block-list') && (
            <Link className="quiet small" view="numbers" filters={{ number: phone }}>
              Is it blocked?
            </Link>
          )}
        </div>
      )}
    </>
  );
};

/** What a voice platform told about the call, in words. */
const PlatformDetails = ({ call }: { call: Call }) => {
  const audio = useRef<HTMLAudioElement>(null);
  const { summary, recordingUrl, cost, cause, source } = (call.details ?? {}) as Record<string, unknown>;
  const url = typeof recordingUrl === 'string' ? recordingUrl : undefined;
  const { amount, currency } = (cost ?? {}) as { amount?: unknown; currency?: unknown };
  const facts: Record<string, ReactNode> = {
    Cost: typeof amount === 'number' ? `${formatNumber(amount)} ${currency}` : undefined,
    'Rejected because': typeof cause === 'string' ? cause.replaceAll('_', ' ') : undefined,
  };
  return (
    <>
      {source === 'reconciled' && (
        <p className="note">
          The end of this call did not arrive. The service found the call in the list of its voice platform.
        </p>
      )}
      {url && <Recording key={url} url={url} audio={audio} />}
      {call.hasTranscript && <Transcript call={call} audio={audio} isPlayable={url?.startsWith('https:') === true} />}
      {typeof summary === 'string' && (
        <section>
          <h3>Summary</h3>
          <p dir="auto">{summary}</p>
        </section>
      )}
      {Object.values(facts).some((fact) => fact !== undefined) && <Facts facts={facts} />}
    </>
  );
};

/** A recording at its platform. It is not loaded before the user plays it. */
const Recording = ({ url, audio }: { url: string; audio: RefObject<HTMLAudioElement | null> }) => {
  const [isFailed, setFailed] = useState(false);
  if (!/^https?:/.test(url)) return null;
  return (
    <section className="stack">
      <h3>Recording</h3>
      {isFailed ? (
        <p role="status">This page cannot play the recording. Its platform may ask for a password.</p>
      ) : (
        url.startsWith('https:') && (
          // biome-ignore lint/a11y/useMediaCaption: platforms record calls without captions
          <audio ref={audio} controls preload="none" aria-label="Recording" src={url} onError={() => setFailed(true)} />
        )
      )}
      <a href={url} target="_blank" rel="noreferrer">
        Open the recording
      </a>
    </section>
  );
};

const causesOfHolding = {
  too_short: 'the call was too short',
  too_few_words: 'the caller said too few words',
};

/** Returns a change of the outcome of a call. */
const useOutcomeChange = ({ agentId, callId }: Call) => {
  return useChange(
    (api, options, set: Omit<UpdateCallOutcomeParams, 'agentId' | 'callIdOrPhone'>) =>
      api.calls.updateOutcome({ agentId, callIdOrPhone: callId, ...set }, options),
    { changes: [['call', agentId, callId], ['calls'], ['figures']], done: () => 'The outcome is saved.' },
  );
};

/** An outcome that the platform found without enough ground: a person sets or clears it. */
const Held = ({ call, onDecided }: { call: Call; onDecided(): void }) => {
  const change = useOutcomeChange(call);
  const currency = useAgent(call.agentId)?.configuration.valueCurrency;
  const { heldOutcome } = call;
  if (!heldOutcome) return null;
  const { causes, ...found } = heldOutcome;
  const value = found.custom_call_outcome_value;
  return (
    <section className="card">
      <p>
        The platform found <OutcomeBadge outcome={found.custom_call_outcome} />
        {value !== undefined && `, worth ${formatValue(value, currency)}`}, which is not set:{' '}
        {causes.map((cause) => causesOfHolding[cause]).join(', and ')}.
      </p>
      <div className="buttons">
        <button
          type="button"
          disabled={change.isPending}
          onClick={() => change.mutate(found, { onSuccess: onDecided })}
        >
          Set
        </button>
        <button
          type="button"
          className="quiet"
          disabled={change.isPending}
          onClick={() => change.mutate({ custom_call_outcome: null }, { onSuccess: onDecided })}
        >
          Clear
        </button>
      </div>
      {change.error && <Failed error={change.error} />}
    </section>
  );
};

/** The maximum number of outcomes that have a button, besides the one that is set. The field has them all. */
const maxButtons = 6;

/** Sets the outcome and its value. An empty field clears it. */
const Outcome = ({ call }: { call: Call }) => {
  const { agentId, custom_call_outcome = '', custom_call_outcome_value } = call;
  const former = custom_call_outcome_value?.toString() ?? '';
  const [outcome, setOutcome] = useState(custom_call_outcome);
  const [value, setValue] = useState(former);
  const used = useValues('outcome', agentId);
  const { outcomes: declared, valueCurrency } = useAgent(agentId)?.configuration ?? {};
  const outcomes = declared?.map(({ name }) => name) ?? used;
  const quick = [...new Set([...outcomes.slice(0, maxButtons), custom_call_outcome])].filter(Boolean);
  // A decimal comma is read, too.
  const number = Number(value.trim().replace(/^(-?\d+),(\d{1,2})$/, '$1.$2'));
  const problem = value.trim() !== '' && !Number.isFinite(number) ? 'Enter a number, such as 149.50.' : undefined;
  const change = useOutcomeChange(call);
  const save = () =>
    change.mutate({
      custom_call_outcome: outcome.trim() || null,
      custom_call_outcome_value: value.trim() ? number : null,
    });
  return (
    <Form
      change={change}
      submit="Save outcome"
      pending="Saving …"
      isDisabled={outcome.trim() === custom_call_outcome && value.trim() === former}
      onSubmit={() => !problem && save()}
    >
      {quick.length > 0 && (
        <fieldset className="buttons" aria-label="Known outcomes">
          {quick.map((name) => (
            <button
              key={name}
              type="button"
              className="quiet small"
              aria-pressed={name === outcome}
              onClick={() => setOutcome(name)}
            >
              <OutcomeBadge outcome={name} />
            </button>
          ))}
        </fieldset>
      )}
      <Picker
        label="Outcome"
        name="custom_call_outcome"
        isFree
        options={outcomes.map((name) => ({ value: name, label: name }))}
        value={outcome}
        onChange={setOutcome}
      />
      <TextField
        label={valueCurrency ? `Value in ${valueCurrency}` : 'Value'}
        name="custom_call_outcome_value"
        problem={problem}
        inputMode="decimal"
        value={value}
        onChange={setValue}
      />
    </Form>
  );
};

type OutcomeEntry = NonNullable<Call['outcomeHistory']>[number];

/** Returns the fields that were set, with their values. */
const setFields = ({ fields, custom_call_outcome: outcome, custom_call_outcome_value: value }: OutcomeEntry) =>
  fields
    .map((field) => {
      if (field === 'custom_call_metadata') return 'metadata';
      if (field === 'custom_call_outcome') return outcome === null ? 'no outcome' : `outcome ${outcome ?? ''}`.trim();
      return value === null ? 'no value' : `value ${value === undefined ? '' : formatValue(value)}`.trim();
    })
    .join(', ');

const History = ({ call: { outcomeHistory = [] } }: { call: Call }) =>
  outcomeHistory.length > 0 && (
    <section>
      <h3>History of the outcome</h3>
      <ol className="history">
        {outcomeHistory.toReversed().map((entry) => (
          <li key={entry.at}>
            <Time at={entry.at} hasSeconds />: <Who keyId={entry.keyId} keyName={entry.keyName} /> set{' '}
            <bdi>{setFields(entry)}</bdi>
          </li>
        ))}
      </ol>
    </section>
  );
