import { useAgentChoices } from '../components/agent-filter.tsx';
import { Field } from '../components/fields.tsx';

/** Chooses a block list: the user's own one, which is in force for all agents, or that of an agent. */
export const ListChoice = ({ value, onChange }: { value: string; onChange(agentId: string): void }) => {
  const agents = useAgentChoices().data?.agents ?? [];
  const isOffered = !value || agents.some(({ agentId }) => agentId === value);
  return (
    <Field label="Blocked for">
      {(ids) => (
        <select {...ids} value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">All agents</option>
          {!isOffered && <option value={value}>{value}</option>}
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
