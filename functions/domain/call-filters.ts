import type { Call } from './calls.ts';

/** The filters that every call of a list must match. */
export type CallFilters = {
  direction?: Call['direction'];
  status?: string;
  outcome?: string;
  hasOutcome?: boolean;
  held?: boolean;
  disclosed?: Call['disclosed'];
};

export const matchesFilters = (
  call: Call,
  { direction, status, outcome, hasOutcome, held, disclosed }: CallFilters,
): boolean =>
  (direction === undefined || call.direction === direction) &&
  (status === undefined || isSameText(call.status, status)) &&
  (outcome === undefined || isSameText(call.custom_call_outcome, outcome)) &&
  (hasOutcome === undefined || (call.custom_call_outcome !== undefined) === hasOutcome) &&
  (held === undefined || (call.heldOutcome !== undefined) === held) &&
  (disclosed === undefined || call.disclosed === disclosed);

const isSameText = (text: string | undefined, wanted: string) => text !== undefined && fold(text) === fold(wanted);
const fold = (text: string) => text.normalize().toLowerCase();
