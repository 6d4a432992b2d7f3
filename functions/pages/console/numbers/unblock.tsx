import { useState } from 'react';
import { useAgentName } from '../components/agent-filter.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Form } from '../components/form.tsx';
import { useChange, useService } from '../service.tsx';

/** Removes a number from the list of an agent, or from the user's own list, after a confirmation. */
export const Unblock = ({ number, agentId }: { number: string; agentId: string | undefined }) => {
  const { api } = useService();
  const [isAsking, setAsking] = useState(false);
  const name = useAgentName(agentId ?? '');
  const change = useChange(
    () =>
      agentId ? api.blockList.remove({ agentId, numbers: [number] }) : api.userBlockList.remove({ numbers: [number] }),
    {
      changes: [['numbers']],
      done: ({ removed }) => (removed.length > 0 ? `${number} is unblocked.` : `${number} was no longer on the list.`),
    },
  );
  const close = () => {
    setAsking(false);
    change.reset();
  };
  return (
    <>
      <button type="button" className="quiet small" aria-label={`Unblock ${number}`} onClick={() => setAsking(true)}>
        Unblock
      </button>
      {isAsking && (
        <Dialog title={`Unblock ${number}?`} onClose={close}>
          <Form
            change={change}
            submit="Unblock"
            pending="Unblocking …"
            onSubmit={() => change.mutate(undefined, { onSuccess: close })}
            onCancel={close}
          >
            <p>
              {agentId ? (
                <>
                  Calls with this number are accepted by <bdi>{name}</bdi> again, unless the number is blocked for all
                  agents.
                </>
              ) : (
                'Calls with this number are accepted again by every agent whose own list does not have it.'
              )}{' '}
              The reason is lost.
            </p>
          </Form>
        </Dialog>
      )}
    </>
  );
};
