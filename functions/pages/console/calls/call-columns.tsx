import { type CallColumn, callColumns } from '../../../domain/call-columns.ts';
import { csvField, csvLines } from '../../../domain/csv.ts';
import type { Call } from '../../../openapi/client/client.ts';
import { Link } from '../address.tsx';
import { AgentName, useAgent } from '../components/agent-filter.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { OutcomeBadge } from '../components/outcome.tsx';
import type { Column } from '../components/paged-table.tsx';
import { Time, timeZoneNow } from '../components/values.tsx';
import { formatDuration, formatPhone, formatStamp, formatTime, formatValue } from '../formats.ts';
import { CallStatus } from './call-status.tsx';
import { ChooseHeld } from './held-calls.tsx';

export const formatDirection = (direction: string) => (direction === 'inbound' ? 'Inbound' : 'Outbound');

/** The filters of the address that open a call. `callOf` is its agent, if that is not the filter of the list. */
export const callFilters = (call: Pick<Call, 'agentId' | 'callId'> | undefined) => ({
  callId: call?.callId,
  callOf: call?.agentId,
});

/** The fields of a call that are objects, or tell how its outcome came about. */
type OtherField =
  | 'details'
  | 'custom_call_metadata'
  | 'hasTranscript'
  | 'heldOutcome'
  | 'outcomeHistory'
  | 'outcomeUpdatedAt';
type ColumnName = Exclude<keyof Call, OtherField>;

// A field without a column does not compile.
const complete: Record<ColumnName, CallColumn> = callColumns;
const columns = Object.entries(complete) as [ColumnName, CallColumn][];

type Value = string | number | boolean | undefined;

const disclosures = { yes: 'Yes', no: 'No', unknown: 'Not known' };

/** The cells of columns that are more than the text of the field. */
const cells: Partial<Record<ColumnName, Omit<Column<Call>, 'heading'>>> = {
  startedAt: { cell: ({ startedAt }) => <Time at={startedAt} hasSeconds /> },
  endedAt: { cell: ({ endedAt }) => endedAt && <Time at={endedAt} hasSeconds /> },
  agentId: { isLong: true, cell: ({ agentId }) => <AgentName agentId={agentId} /> },
  callId: {
    cell: ({ callId }) => (
      <>
        <code>{callId}</code> <CopyButton text={callId} what="The id" />
      </>
    ),
  },
  phone: {
    cell: ({ phone }) =>
      phone ? <span className="unbroken">{formatPhone(phone)}</span> : <span className="faint">Withheld</span>,
  },
  agentPhone: { cell: ({ agentPhone }) => agentPhone && <span className="unbroken">{formatPhone(agentPhone)}</span> },
  direction: { cell: ({ direction }) => formatDirection(direction) },
  status: { cell: ({ status }) => status && <CallStatus status={status} /> },
  durationSeconds: {
    isNumber: true,
    cell: ({ durationSeconds }) => (durationSeconds === undefined ? undefined : formatDuration(durationSeconds)),
  },
  custom_call_outcome: {
    isLong: true,
    cell: ({ custom_call_outcome: outcome, heldOutcome }) =>
      outcome === undefined ? (
        heldOutcome && <span className="faint">Held: {heldOutcome.custom_call_outcome}</span>
      ) : (
        <OutcomeBadge outcome={outcome} />
      ),
  },
  agentVersion: {
    cell: (call) =>
      isWithoutDecision(call) ? (
        <span className="faint">Not known: the platform did not ask at the start, or got no answer in time</span>
      ) : (
        call.agentVersion
      ),
  },
  disclosed: { cell: ({ disclosed }) => disclosed && disclosures[disclosed] },
  custom_call_outcome_value: { isNumber: true, cell: (call) => <OutcomeValue call={call} /> },
};

/** Checks for a call of a platform that returns the version, which had none: also one that `unsure` accepted. */
const isWithoutDecision = ({ callId, direction, agentVersion }: Call) =>
  agentVersion === undefined && direction === 'inbound' && /^(vapi|retell|elevenlabs):/.test(callId);

/** The value of a call, in the currency of its agent. */
const OutcomeValue = ({ call: { agentId, custom_call_outcome_value: value } }: { call: Call }) => {
  const currency = useAgent(agentId)?.configuration.valueCurrency;
  return value !== undefined && formatValue(value, currency);
};

const Started = ({ call }: { call: Call }) => (
  <>
    <ChooseHeld call={call} />
    <Link filters={callFilters(call)} aria-label={formatTime(call.startedAt, timeZoneNow())}>
      <Time at={call.startedAt} isShort />
    </Link>
  </>
);

const findCell = (name: ColumnName): Omit<Column<Call>, 'heading'> =>
  cells[name] ?? { cell: (call) => toText(call[name]) };

const toText = (value: Value) => (typeof value === 'boolean' ? (value ? 'Yes' : 'No') : value);

/** The columns of a list, whose first cell opens the call. */
export const listColumns = columns
  .filter(([, { isInLists }]) => isInLists)
  .map(([name, { heading }]) => {
    const column = { ...findCell(name), name, heading };
    return name === 'startedAt' ? { ...column, cell: (call: Call) => <Started call={call} /> } : column;
  });

/** Returns the facts of a call for its panel, which shows the outcome apart. */
export const readFacts = (call: Call) =>
  Object.fromEntries(
    columns
      .filter(([name]) => !name.startsWith('custom_'))
      .map(([name, { heading }]) => [heading, findCell(name).cell(call)]),
  );

/** What the details of a call add to a file. */
const readDetails = ({ details = {} }: Call): Value[] => {
  const { cost, cause, summary } = details as Record<string, unknown>;
  const { amount, currency } = (cost ?? {}) as { amount?: unknown; currency?: unknown };
  return [amount, currency, cause, summary].map((value) =>
    typeof value === 'number' || typeof value === 'string' ? value : undefined,
  );
};

/** Returns calls as a file of CSV, with the names of their agents, and their times in a time zone. */
export const toCsv = (calls: Call[], agentNames: Map<string, string>, timeZone: string): string => {
  const headings = columns.flatMap(([name, { nameInFiles = name }]) =>
    name === 'agentId' ? [name, 'agent'] : nameInFiles,
  );
  const rows = calls.map((call) => [
    ...columns.flatMap(([name]) => {
      const value = call[name];
      const isTime = (name === 'startedAt' || name === 'endedAt') && value !== undefined;
      const field = isTime ? formatStamp(String(value), timeZone) : toField(value);
      return name === 'agentId' ? [field, csvField(agentNames.get(call.agentId) ?? call.agentId)] : field;
    }),
    ...[...readDetails(call), timeZone].map(toField),
  ]);
  return csvLines([[...headings, 'cost', 'cost_currency', 'cause', 'summary', 'time_zone'], ...rows]);
};

/** Excel takes a phone number for a number, and for no formula. */
const toField = (value: Value): string => {
  if (value === undefined) return '';
  return /^\+\d+$/.test(String(value)) ? String(value) : csvField(String(value));
};
