import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Agent } from '../../../openapi/client/client.ts';
import { labelOfPath } from './agent-fields.ts';

const buildName = (agentId: string) => ['warnings', agentId];

/** Keeps the warnings of a save while the page is open: the service says them once, about what was sent. */
export const useKeepWarnings = () => {
  const queries = useQueryClient();
  return ({ agentId, warnings = [] }: Agent) => queries.setQueryData(buildName(agentId), warnings);
};

/** What may be misspelled in the configuration that was saved last. */
export const Warnings = ({ agentId }: { agentId: string }) => {
  const { data } = useQuery<NonNullable<Agent['warnings']>>({
    queryKey: buildName(agentId),
    queryFn: () => [],
    enabled: false,
  });
  return (
    data &&
    data.length > 0 && (
      <div className="card" role="status">
        <p>It is saved as it is. Fields of the configuration may be misspelled:</p>
        <ul>
          {data.map(({ path, message }) => (
            <li key={path}>
              <code>{labelOfPath(path)}</code> {message}
            </li>
          ))}
        </ul>
      </div>
    )
  );
};
