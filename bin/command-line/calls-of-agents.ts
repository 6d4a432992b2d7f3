import type { CallFilters } from '../../functions/domain/call-filters.ts';
import type { Call } from '../../functions/domain/calls.ts';
import { parseJson } from '../../functions/domain/json.ts';
import type { ApiClient } from '../../functions/openapi/client/client.ts';
import type { CallRange } from '../../functions/store/calls/call-lists.ts';
import { requireData } from './require-data.ts';

const pageItems = 1000;

/** Yields the calls of an agent, newest first, page by page. */
export async function* readCalls(
  api: ApiClient,
  agentId: string,
  { range, filters }: { range: CallRange; filters: CallFilters },
): AsyncGenerator<Call> {
  const params = { agentId, ...range, ...filters, limit: pageItems };
  // JSON.parse would round large numbers in the metadata.
  for await (const page of api.calls.list(params, { parse: parseJson }).pages())
    yield* requireData(page).calls as Call[];
}

/** Returns the ids of all agents that a user owns or has access to. */
export const readAgentIds = async (api: ApiClient, uid: string): Promise<string[]> => {
  const agentIds: string[] = [];
  for await (const page of api.agents.list({ uid }).pages()) {
    agentIds.push(...requireData(page).agents.map(({ agentId }) => agentId));
  }
  return agentIds;
};
