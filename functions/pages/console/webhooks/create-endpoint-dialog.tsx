import { Dialog } from '../components/dialog.tsx';
import { Secret } from '../components/secret.tsx';
import { useChange, useService } from '../service.tsx';
import { EndpointForm, SecretUse } from './endpoint-form.tsx';
import type { EndpointFields } from './events.ts';

/** Creates an endpoint, and shows its secret once. */
export const CreateEndpointDialog = ({ onClose }: { onClose(): void }) => {
  const { api } = useService();
  const creation = useChange(
    ({ description, ...fields }: EndpointFields, options) =>
      api.webhooks.createEndpoint({ ...fields, description: description || undefined }, options),
    { changes: [['webhooks']], done: () => 'The endpoint is created.' },
  );
  return (
    <Dialog title={creation.data ? 'The secret of the endpoint' : 'Create an endpoint'} onClose={onClose}>
      {creation.data ? (
        <Secret secret={creation.data.secret} onDone={onClose}>
          <SecretUse />
        </Secret>
      ) : (
        <EndpointForm
          initial={{ url: '', events: ['*'], description: '' }}
          change={creation}
          submit="Create the endpoint"
          onSubmit={creation.mutate}
          onCancel={onClose}
        />
      )}
    </Dialog>
  );
};
