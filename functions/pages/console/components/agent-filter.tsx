import { useEffect } from 'react';
import { setFilters, useAddress } from '../address.tsx';
import { useRead, useService } from '../service.tsx';
import { Choice, TextFilter } from './fields.tsx';
import { Failed } from './states.tsx';

/** The maximum number of agents in a choice. The view Agents lists all of them. */
const maxChoices = 500;

/** Returns the agents to choose from; undefined until they are loaded, and if the key may not list agents. */
export const useAgentChoices = () => {
  const { api, scopes } = useService();
  return useRead(['agents', 'choices'], (options) => api.agents.list({ limit: maxChoices }, options), {
    enabled: scopes.includes('agents'),
  });
};

/** Returns the name of an agent, or its id if the name is unknown. */
export const useAgentName = (agentId: string): string =>
  useAgentChoices().data?.agents.find((agent) => agent.agentId === agentId)?.name ?? agentId;

/**
 * Chooses the agent of the address, `agentId`. `all` is the label of the choice of all agents. Without it, the first agent
 * is chosen initially.
 */
export const AgentFilter = ({ all }: { all?: string }) => {
  const { scopes } = useService();
  const { agentId } = useAddress().filters;
  const { data, error, refetch } = useAgentChoices();
  const first = all === undefined ? data?.agents[0]?.agentId : undefined;
  useEffect(() => {
    if (!agentId && first) setFilters({ agentId: first }, { replace: true });
  }, [agentId, first]);

  // A key that may not list agents may still read what belongs to them.
  if (!scopes.includes('agents')) return <TextFilter name="agentId" label="Agent ID" placeholder={all} />;
  if (error && !data) return <Failed error={error} onRetry={() => void refetch()} />;
  return (
    <AgentChoice
      label="Agent"
      none={all ?? (data ? undefined : 'Loading …')}
      value={agentId ?? ''}
      onChange={(chosen) => setFilters({ agentId: chosen || undefined })}
    />
  );
};

type AgentChoiceProps = { label: string; none: string | undefined; value: string; onChange(agentId: string): void };

/** Chooses an agent. `none` is the label of the choice of no agent in particular. */
export const AgentChoice = ({ label, none, value, onChange }: AgentChoiceProps) => {
  const agents = useAgentChoices().data?.agents ?? [];
  const isOffered = !value || agents.some(({ agentId }) => agentId === value);
  return (
    <Choice
      label={label}
      options={[
        ...(none === undefined ? [] : [{ value: '', label: none }]),
        ...(isOffered ? [] : [{ value, label: value }]),
        ...agents.map(({ agentId, name }) => ({ value: agentId, label: name })),
      ]}
      value={value}
      onChange={onChange}
    />
  );
};
