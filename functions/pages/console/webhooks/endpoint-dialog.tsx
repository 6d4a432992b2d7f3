import { useState } from 'react';
import { formatLimit } from '../../../domain/format-limit.ts';
import type { WebhookEndpoint } from '../../../openapi/client/client.ts';
import { setFilters } from '../address.tsx';
import { DeleteDialog, Dialog, FormDialog } from '../components/dialog.tsx';
import { ChangeButton } from '../components/form.tsx';
import { Empty } from '../components/parts.tsx';
import { Facts, Status, Time } from '../components/values.tsx';
import { formatNumber } from '../formats.ts';
import { useChange } from '../service.tsx';
import { type EndpointFields, EndpointForm, EndpointSecret, type EventFilter } from './endpoint-form.tsx';
import { EndpointStatus } from './endpoint-status.tsx';

const close = () => setFilters({ open: undefined });

/** An endpoint with its actions. */
export const EndpointDialog = ({ endpoint }: { endpoint: WebhookEndpoint | undefined }) => {
  const [step, setStep] = useState<'edit' | 'rotate' | 'delete'>();
  const back = () => setStep(undefined);
  if (!endpoint) {
    return (
      <Dialog title="Endpoint" onClose={close}>
        <Empty title="There is no such endpoint">It may have been deleted.</Empty>
      </Dialog>
    );
  }
  if (step === 'edit') return <Edit endpoint={endpoint} onClose={back} />;
  if (step === 'rotate') return <Rotation endpoint={endpoint} onClose={back} />;
  if (step === 'delete') return <Deletion endpoint={endpoint} onClose={back} />;
  return (
    <Dialog title="Endpoint" isWide onClose={close}>
      <div className="stack">
        <div>
          <EndpointStatus endpoint={endpoint} />
        </div>
        <Facts
          facts={{
            Address: endpoint.url,
            Events: endpoint.events.join(', '),
            'Only agents': endpoint.agentIds?.join(', '),
            Description: endpoint.description,
            Created: <Time at={endpoint.createdAt} />,
            'Endpoint ID': <code>{endpoint.endpointId}</code>,
          }}
        />
        <Test endpoint={endpoint} />
        <div className="buttons">
          <Activity endpoint={endpoint} />
          <button type="button" className="quiet" onClick={() => setStep('edit')}>
            Edit
          </button>
          <button type="button" className="quiet" onClick={() => setStep('rotate')}>
            Rotate the secret
          </button>
          <button type="button" className="danger" onClick={() => setStep('delete')}>
            Delete
          </button>
        </div>
      </div>
    </Dialog>
  );
};

type PartProps = { endpoint: WebhookEndpoint };
type StepProps = PartProps & { onClose(): void };

/** Sends a test event, and shows the receiver's response. */
const Test = ({ endpoint: { endpointId } }: PartProps) => {
  const test = useChange((api, options) => api.webhooks.testEndpoint({ endpointId }, options), { changes: [] });
  const { isPending, data } = test;
  return (
    <div className="card">
      <ChangeButton change={test}>{isPending ? 'Sending …' : 'Send a test event'}</ChangeButton>
      {data && (
        <p role="status">
          <Status tone={data.delivered ? 'good' : 'bad'} label={data.delivered ? 'Delivered' : 'Not delivered'} />{' '}
          {data.cause ?? `The receiver answered with status ${data.status}.`}{' '}
          <span className="faint">{formatNumber(data.milliseconds)} ms</span>
        </p>
      )}
    </div>
  );
};

/** Switches an endpoint off, or on again. */
const Activity = ({ endpoint: { endpointId, active } }: PartProps) => {
  const change = useChange((api, options) => api.webhooks.updateEndpoint({ endpointId, active: !active }, options), {
    changes: [['webhooks']],
    done: ({ active }) => `The endpoint is switched ${active ? 'on' : 'off'}.`,
  });
  return (
    <ChangeButton change={change} className="quiet">
      {active ? 'Switch off' : 'Switch on'}
    </ChangeButton>
  );
};

const Edit = ({ endpoint: { endpointId, url, events, description = '' }, onClose }: StepProps) => {
  const edit = useChange(
    (api, options, fields: EndpointFields) => api.webhooks.updateEndpoint({ endpointId, ...fields }, options),
    { changes: [['webhooks']], done: () => 'The endpoint is changed.' },
  );
  return (
    <EndpointForm
      title="Edit the endpoint"
      initial={{ url, events: events as EventFilter[], description }}
      change={edit}
      submit="Save"
      onSubmit={(fields) => edit.mutate(fields, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
};

/** Makes a new secret, which is shown once. */
const Rotation = ({ endpoint: { endpointId }, onClose }: StepProps) => {
  const rotation = useChange((api, options) => api.webhooks.rotateSecret({ endpointId }, options), {
    changes: [['webhooks']],
  });
  return (
    <FormDialog
      title="Rotate the secret?"
      result={rotation.data && <EndpointSecret secret={rotation.data.secret} onDone={onClose} />}
      resultTitle="The new secret"
      change={rotation}
      submit="Rotate the secret"
      pending="Rotating …"
      onClose={onClose}
    >
      <p>
        A new secret is made and shown once. For {formatLimit('replacedSecretSeconds')}, the former one signs beside it.
      </p>
    </FormDialog>
  );
};

const Deletion = ({ endpoint: { endpointId, url }, onClose }: StepProps) => (
  <DeleteDialog
    what="the endpoint"
    name={url}
    consequence="It gets no more events, including those in progress. To pause it, switch it off."
    remove={(api) => api.webhooks.deleteEndpoint({ endpointId })}
    changes={[['webhooks']]}
    done="The endpoint is deleted."
    onDeleted={close}
    onClose={onClose}
  />
);
