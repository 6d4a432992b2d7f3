import type { CallFilters } from '../../functions/domain/call-filters.ts';
import type { Call } from '../../functions/domain/calls.ts';
import { parseJson } from '../../functions/domain/json.ts';
import type { ApiClient } from '../../functions/openapi/client/client.ts';
import type { CallRange } from '../../functions/store/calls/call-lists.ts';

const pageItems = 1000;

/** Yields the calls of an agent, newest first. */
export const readCalls = (
  api: ApiClient,
  agentId: string,
  { range, filters }: { range: CallRange; filters: CallFilters },
): AsyncIterable<Call> => {
  const params = { agentId, ...range, ...filters, limit: pageItems };
  // JSON.parse would round large numbers in the metadata.
  return api.calls.list(params, { parse: parseJson }) as AsyncIterable<Call>;
};

/** Returns the ids of all agents that a user owns or has access to. */
export const readAgentIds = async (api: ApiClient, uid: string): Promise<string[]> =>
  Array.fromAsync(api.agents.list({ uid }), ({ agentId }) => agentId);
