import { type Call, matchesFilters } from '../../../functions/domain/calls.ts';
import type { toSelection } from '../../command-line/call-filter.ts';
import type { Stores } from '../stores.ts';

/** Yields the selected calls of an agent, newest first. */
export async function* selectedCalls(
  { calls }: Stores,
  agentId: string,
  { range, filters }: ReturnType<typeof toSelection>,
): AsyncGenerator<Call> {
  if (range.from !== undefined && range.to !== undefined && range.from > range.to) return;
  for await (const call of calls.list(agentId, range)) if (matchesFilters(call, filters)) yield call;
}
