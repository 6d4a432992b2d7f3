import { useAddress } from '../address.tsx';
import { AgentList } from './agent-list.tsx';
import { AgentPage } from './agent-page.tsx';
import { NewAgent } from './new-agent.tsx';

/** The agents of the user, one of them, or a form for a new one. */
const Agents = () => {
  const { agentId, form } = useAddress().filters;
  if (agentId) return <AgentPage key={agentId} agentId={agentId} />;
  return form === 'new' ? <NewAgent /> : <AgentList />;
};

export default Agents;
