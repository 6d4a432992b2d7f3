import { useEffect } from 'react';
import type { Agent } from '../../../openapi/client/client.ts';
import { setFilters, useAddress } from '../address.tsx';
import { useRead, useService } from '../service.tsx';
import { Field, TextFilter } from './fields.tsx';
import { Failed } from './states.tsx';

/** So many agents are offered to choose from. Others are found in the view Agents. */
const maxChoices = 500;

/** Returns the agents to choose from; undefined until they are loaded, and if the key may not list agents. */
export const useAgentChoices = () => {
  const { api, scopes } = useService();
  return useRead(['agents', 'choices'], (options) => api.agents.list({ limit: maxChoices }, options), {
    enabled: scopes.includes('agents'),
  });
};

/** Returns the name of an agent, or its id where the name is not known. */
export const useAgentName = (agentId: string): string =>
  useAgentChoices().data?.agents.find((agent) => agent.agentId === agentId)?.name ?? agentId;

/**
 * Chooses the agent of the address, `agentId`. `all` is the label of the choice of all agents; without it the first agent
 * is chosen at the beginning.
 */
export const AgentFilter = ({ all }: { all?: string }) => {
  const { scopes } = useService();
  const { agentId } = useAddress().filters;
  const { data, error, refetch } = useAgentChoices();
  const first = all === undefined ? data?.agents[0]?.agentId : undefined;
  useEffect(() => {
    if (!agentId && first) setFilters({ agentId: first }, { replace: true });
  }, [agentId, first]);

  // A key that may not list agents still may read what belongs to them.
  if (!scopes.includes('agents')) return <TextFilter name="agentId" label="Agent ID" placeholder={all} />;
  if (error && !data) return <Failed error={error} onRetry={() => void refetch()} />;
  const agents: Pick<Agent, 'agentId' | 'name'>[] = data?.agents ?? [];
  const isOffered = !agentId || agents.some((agent) => agent.agentId === agentId);
  return (
    <Field label="Agent">
      {(ids) => (
        <select
          {...ids}
          value={agentId ?? ''}
          onChange={(event) => setFilters({ agentId: event.target.value || undefined })}
        >
          {all !== undefined && <option value="">{all}</option>}
          {!data && all === undefined && <option value="">Loading …</option>}
          {!isOffered && <option value={agentId}>{agentId}</option>}
          {agents.map(({ agentId, name }) => (
            <option key={agentId} value={agentId}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
};
