import { Dialog } from '../components/dialog.tsx';
import { useChange, useService } from '../service.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import type { EndpointFields } from './events.ts';
import { Secret } from './secret.tsx';

/** Creates an endpoint, and shows its secret once. */
export const CreateEndpointDialog = ({ onClose }: { onClose(): void }) => {
  const { api } = useService();
  const { mutate, isPending, error, data } = useChange(
    ({ description, ...fields }: EndpointFields) =>
      api.webhooks.createEndpoint({ ...fields, description: description || undefined }),
    { changes: [['webhooks']], done: () => 'The endpoint is created.' },
  );
  return (
    <Dialog title={data ? 'The secret of the endpoint' : 'Create an endpoint'} onClose={onClose}>
      {data ? (
        <Secret secret={data.secret} onDone={onClose} />
      ) : (
        <EndpointForm
          initial={{ url: '', events: ['*'], description: '' }}
          submit="Create the endpoint"
          isPending={isPending}
          error={error}
          onSubmit={mutate}
        >
          <button type="button" className="quiet" onClick={onClose}>
            Cancel
          </button>
        </EndpointForm>
      )}
    </Dialog>
  );
};
