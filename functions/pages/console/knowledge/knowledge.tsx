import { useAddress } from '../address.tsx';
import { AgentFilter, ForAgent } from '../components/agent-filter.tsx';
import { FilterBar, TextFilter } from '../components/fields.tsx';
import { Passages } from './passages.tsx';
import { Sources } from './source-list.tsx';

/** The view Knowledge: the sources of an agent, and the search that the agent makes in them. */
const Knowledge = () => {
  const { query } = useAddress().filters;
  return (
    <>
      <h1>Knowledge</h1>
      <FilterBar>
        <AgentFilter />
        <TextFilter name="query" label="Search" type="search" placeholder="refunds" maxLength={1000} />
      </FilterBar>
      <ForAgent>
        {(agentId) => (
          <>
            {query && <Passages agentId={agentId} query={query} />}
            <Sources agentId={agentId} />
          </>
        )}
      </ForAgent>
    </>
  );
};

export default Knowledge;
