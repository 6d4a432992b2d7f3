import { type ReactNode, useEffect } from 'react';
import type { ApiClient, RequestOptions } from '../../../openapi/client/client.ts';
import { Link, setFilters, useAddress } from '../address.tsx';
import { useAllPages, useService } from '../service.tsx';
import type { Option } from './fields.tsx';
import { Empty, Failed } from './parts.tsx';
import { Picker } from './picker.tsx';

export const choicesName = ['agents', 'choices'];
export const readAgents = (api: ApiClient, options: RequestOptions) => api.agents.list({ limit: 500 }, options);

/** Returns all agents; undefined until they are loaded, and if the key may not list agents. */
export const useAgentChoices = () => {
  const { scopes } = useService();
  const enabled = scopes.includes('agents');
  return useAllPages(choicesName, readAgents, { enabled });
};

/** Returns an agent; undefined until it is loaded, and if the key may not list agents. */
export const useAgent = (agentId: string) => useAgentChoices().data?.find((agent) => agent.agentId === agentId);

/** Returns the name of an agent, or its id if the name is unknown. */
export const useAgentName = (agentId: string): string => useAgent(agentId)?.name ?? agentId;

/** An agent by its name. Without an id, all agents. */
export const AgentName = ({ agentId = '' }: { agentId: string | undefined }) => {
  const name = useAgentName(agentId);
  return agentId === '' ? 'All agents' : <bdi>{name}</bdi>;
};

export const NewAgentLink = ({ label }: { label: string }) => (
  <Link className="button" view="agents" filters={{ form: 'new' }}>
    {label}
  </Link>
);

export const HowToRecord = () => (
  <p>
    Calls are recorded by a voice platform, or by your own program:{' '}
    <a href="/docs/voice-platforms">connect a platform</a>.
  </p>
);

/** The maximum number of agents over which the service lists calls and adds up figures. */
const maxAgents = 200;

/** Shows what is about the chosen agent or about all agents. With more agents than the service adds up, one has to be chosen. */
export const ForAgents = ({ children }: { children: ReactNode }) => {
  const { agentId } = useAddress().filters;
  const { uid } = useService();
  const agents = useAgentChoices().data?.filter((agent) => agent.uid === uid) ?? [];
  if (agentId || agents.length <= maxAgents) return children;
  return (
    <Empty title="Choose an agent">
      You have {agents.length} agents. What they did together exists for up to {maxAgents}.
    </Empty>
  );
};

/** Shows what is about one agent, or that there is none yet. */
export const ForAgent = ({ children }: { children(agentId: string): ReactNode }) => {
  const { agentId } = useAddress().filters;
  const { data } = useAgentChoices();
  if (agentId) return children(agentId);
  return data?.length === 0 ? (
    <Empty title="There is no agent yet">
      <NewAgentLink label="Create the first agent" />
    </Empty>
  ) : (
    <Empty title="Choose an agent" />
  );
};

/**
 * Chooses the agent of the address, `agentId`. `all` is the label of the choice of all agents. Without it, the first agent
 * is chosen initially.
 */
export const AgentFilter = ({ all }: { all?: string }) => {
  const { agentId } = useAddress().filters;
  const { data, error, refetch } = useAgentChoices();
  const first = all === undefined ? data?.[0]?.agentId : undefined;
  useEffect(() => {
    if (!agentId && first) setFilters({ agentId: first }, { replace: true });
  }, [agentId, first]);
  if (error && !data) return <Failed error={error} onRetry={() => void refetch()} />;
  return (
    <AgentChoice none={all} value={agentId ?? ''} onChange={(chosen) => setFilters({ agentId: chosen || undefined })} />
  );
};

type AgentChoiceProps = { label?: string; none: string | undefined; value: string; onChange(agentId: string): void };

/** Chooses an agent. `none` is the label of the choice of no agent in particular. A key that may not list agents takes their ids. */
export const AgentChoice = ({ label = 'Agent', none, value, onChange }: AgentChoiceProps) => {
  const { data } = useAgentChoices();
  const isListed = useService().scopes.includes('agents');
  const options: Option[] = [
    ...(none === undefined ? [] : [{ value: '', label: none }]),
    ...(data ?? []).map(({ agentId, name }) => ({ value: agentId, label: name })),
  ];
  return (
    <Picker
      label={isListed ? label : `${label} ID`}
      placeholder={isListed && !data ? 'Loading …' : none}
      options={options}
      isFree={!isListed}
      value={value}
      onChange={onChange}
    />
  );
};
