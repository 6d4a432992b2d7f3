import { readCost } from '../domain/call-costs.ts';
import { toMillionths } from '../domain/millionths.ts';
import type { StoredCall } from '../store/calls/call-records.ts';

type ExportedCall = StoredCall['call'];

/** The values of a column by its type: a time is a date-time in UTC, a decimal is in millionths. */
type Values = { text: string; time: string; decimal: bigint; integer: number; number: number };

export type Column<Type extends keyof Values = keyof Values> = {
  [T in Type]: { name: string; type: T; isRequired?: true; read(call: ExportedCall): Values[T] | undefined };
}[Type];

/** Reads a text of a call's details, which are the caller's own. A value of another type is none. */
const textOfDetails =
  (name: string) =>
  ({ details }: ExportedCall): string | undefined => {
    const value = details?.[name];
    return typeof value === 'string' ? value : undefined;
  };

/** The columns of calls in files. A new one follows the others, because files are also read by position. */
export const columns: Column[] = [
  { name: 'call_id', type: 'text', isRequired: true, read: ({ callId }) => callId },
  { name: 'agent_id', type: 'text', isRequired: true, read: ({ agentId }) => agentId },
  { name: 'agent_version', type: 'integer', read: ({ agentVersion }) => agentVersion },
  { name: 'phone', type: 'text', read: ({ phone }) => phone },
  { name: 'agent_phone', type: 'text', read: ({ agentPhone }) => agentPhone },
  { name: 'direction', type: 'text', isRequired: true, read: ({ direction }) => direction },
  { name: 'status', type: 'text', read: ({ status }) => status },
  { name: 'started_at', type: 'time', isRequired: true, read: ({ startedAt }) => startedAt },
  { name: 'ended_at', type: 'time', read: ({ endedAt }) => endedAt },
  { name: 'duration_seconds', type: 'number', read: ({ durationSeconds }) => durationSeconds },
  { name: 'outcome', type: 'text', read: (call) => call.custom_call_outcome },
  {
    name: 'outcome_value',
    type: 'decimal',
    // A value that figures leave out of sums is null.
    read: ({ custom_call_outcome_value: value }) => (value === undefined ? undefined : toMillionths(value)),
  },
  {
    name: 'metadata',
    type: 'text',
    read: ({ custom_call_metadata: metadata }) => metadata && JSON.stringify(metadata),
  },
  { name: 'cost', type: 'decimal', read: (call) => readCost(call)?.millionths },
  { name: 'cost_currency', type: 'text', read: (call) => readCost(call)?.currency },
  { name: 'end_reason', type: 'text', read: textOfDetails('endReason') },
  { name: 'summary', type: 'text', read: textOfDetails('summary') },
  { name: 'source', type: 'text', read: textOfDetails('source') },
  { name: 'attestation', type: 'text', read: textOfDetails('attestation') },
  { name: 'disclosed', type: 'text', read: (call) => ('disclosed' in call ? String(call.disclosed) : undefined) },
  { name: 'recorded_at', type: 'time', read: ({ recordedAt }) => recordedAt },
];

/** The columns that hold phone numbers. */
export const phoneColumns = ['phone', 'agent_phone'];
