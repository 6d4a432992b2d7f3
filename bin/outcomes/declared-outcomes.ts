import { readOutcomeRules } from '../../functions/domain/declared-outcomes.ts';
import { unknownOutcome } from '../../functions/domain/errors.ts';
import { isSameLabel } from '../../functions/domain/outcome-labels.ts';
import { apiClient } from '../../functions/openapi/client/client.ts';
import { say } from '../command-line/output.ts';
import type { CheckOutcome } from './row.ts';

type Connection = { baseUrl: string; apiKey: string; signal: AbortSignal };

const requestSeconds = 10;

/**
 * Returns a check of outcomes by the lists that their agents declare. The list of an agent is read once. If it cannot be read,
 * only the service checks the outcomes.
 */
export const outcomeCheck = ({ baseUrl, apiKey, signal }: Connection): CheckOutcome => {
  const api = apiClient({ baseUrl, apiKey, retries: 0, timeoutSeconds: requestSeconds });
  const lists = new Map<string, Promise<string[] | undefined>>();
  let isTold = false;
  const read = async (agentId: string): Promise<string[] | undefined> => {
    const { data, error, response } = await api.agents.get({ agentId }, { signal });
    if (data) return readOutcomeRules(data.configuration).outcomes?.map(({ name }) => name);
    // The rows of an agent that the key may not use fail with this reason.
    const isForeign = response.status === 401 && !error.message.includes('scope');
    if (!isTold && !isForeign) say(`Only the service checks the outcomes. ${error.message}`);
    isTold ||= !isForeign;
    return undefined;
  };
  return async (agentId, label) => {
    const reading = lists.get(agentId) ?? read(agentId);
    lists.set(agentId, reading);
    const names = await reading;
    if (!names || names.some((name) => isSameLabel(name, label))) return undefined;
    return unknownOutcome(names).details?.[0]?.message;
  };
};
