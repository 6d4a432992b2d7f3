import { AgentName } from '../components/agent-filter.tsx';
import { DialogButton, FormDialog } from '../components/dialog.tsx';
import { useChange } from '../service.tsx';

type Props = { number: string; agentId: string | undefined };

/** Removes a number from the list of an agent, or from the user's own list, after a confirmation. */
export const Unblock = ({ number, agentId }: Props) => (
  <DialogButton label="Unblock" fullLabel={`Unblock ${number}`} className="quiet small">
    {(onClose) => <UnblockDialog number={number} agentId={agentId} onClose={onClose} />}
  </DialogButton>
);

const UnblockDialog = ({ number, agentId, onClose }: Props & { onClose(): void }) => {
  const change = useChange(
    (api) =>
      agentId ? api.blockList.remove({ agentId, numbers: [number] }) : api.userBlockList.remove({ numbers: [number] }),
    {
      changes: [['numbers']],
      done: ({ removed }) => (removed.length > 0 ? `${number} is unblocked.` : `${number} was no longer on the list.`),
    },
  );
  return (
    <FormDialog
      title={`Unblock ${number}?`}
      change={change}
      submit="Unblock"
      pending="Unblocking …"
      onDone={onClose}
      onClose={onClose}
    >
      <p>
        {agentId ? (
          <>
            Calls with this number are accepted by <AgentName agentId={agentId} /> again, unless the number is blocked
            for all agents.
          </>
        ) : (
          'Calls with this number are accepted again by every agent whose own list does not have it.'
        )}{' '}
        The reason is lost.
      </p>
    </FormDialog>
  );
};
