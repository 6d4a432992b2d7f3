import type { BlockListImportSummary } from '../../../openapi/client/client.ts';
import { useAgentName } from '../components/agent-filter.tsx';
import { Status } from '../components/status.tsx';

export const isUnderWay = ({ status }: Pick<BlockListImportSummary, 'status'>) =>
  status === 'running' || status === 'awaiting_upload';

const states = {
  awaiting_upload: { tone: 'working', label: 'Waiting' },
  running: { tone: 'working', label: 'Running' },
  done: { tone: 'good', label: 'Done' },
  failed: { tone: 'bad', label: 'Failed' },
} as const;

export const ImportStatus = ({ status }: Pick<BlockListImportSummary, 'status'>) => (
  <Status tone={states[status].tone}>{states[status].label}</Status>
);

/** The list that an import is for. */
export const ListName = ({ agentId }: { agentId: string | undefined }) => {
  const name = useAgentName(agentId ?? '');
  return agentId === undefined ? 'All agents' : <bdi>{name}</bdi>;
};
