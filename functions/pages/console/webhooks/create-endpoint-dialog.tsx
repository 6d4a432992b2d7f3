import { useChange } from '../service.tsx';
import { EndpointForm, EndpointSecret } from './endpoint-form.tsx';
import type { EndpointFields } from './events.ts';

/** Creates an endpoint, and shows its secret once. */
export const CreateEndpointDialog = ({ onClose }: { onClose(): void }) => {
  const creation = useChange(
    (api, options, { description, ...fields }: EndpointFields) =>
      api.webhooks.createEndpoint({ ...fields, description: description || undefined }, options),
    { changes: [['webhooks']], done: () => 'The endpoint is created.' },
  );
  return (
    <EndpointForm
      title="Create an endpoint"
      initial={{ url: '', events: ['*'], description: '' }}
      change={creation}
      submit="Create the endpoint"
      result={creation.data && <EndpointSecret secret={creation.data.secret} onDone={onClose} />}
      resultTitle="The secret of the endpoint"
      onSubmit={creation.mutate}
      onClose={onClose}
    />
  );
};
