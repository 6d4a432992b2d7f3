import { useState } from 'react';
import type { WebhookEndpoint } from '../../../openapi/client/client.ts';
import { setFilters } from '../address.tsx';
import { DeleteDialog, Dialog } from '../components/dialog.tsx';
import { Facts } from '../components/facts.tsx';
import { Empty, Failed } from '../components/states.tsx';
import { Status } from '../components/status.tsx';
import { Time } from '../components/time.tsx';
import { formatNumber } from '../formats.ts';
import { useChange, useService } from '../service.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { EndpointStatus } from './endpoint-status.tsx';
import type { EndpointFields, EventFilter } from './events.ts';
import { Secret } from './secret.tsx';

const close = () => setFilters({ open: undefined });

/** An endpoint with what can be done with it. */
export const EndpointDialog = ({ endpoint }: { endpoint: WebhookEndpoint | undefined }) => {
  const [step, setStep] = useState<'edit' | 'rotate' | 'delete'>();
  const back = () => setStep(undefined);
  if (!endpoint) {
    return (
      <Dialog title="Endpoint" onClose={close}>
        <Empty title="There is no such endpoint">
          <p>It may have been deleted.</p>
        </Empty>
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

/** Sends a test event, and tells how the receiver answered. */
const Test = ({ endpoint: { endpointId } }: PartProps) => {
  const { api } = useService();
  const { mutate, isPending, error, data } = useChange(() => api.webhooks.testEndpoint({ endpointId }), {
    changes: [],
  });
  return (
    <div className="card">
      <div className="buttons">
        <button type="button" disabled={isPending} onClick={() => mutate(undefined)}>
          {isPending ? 'Sending …' : 'Send a test event'}
        </button>
      </div>
      {error && <Failed error={error} />}
      {data && (
        <p role="status">
          <Status tone={data.delivered ? 'good' : 'bad'}>{data.delivered ? 'Delivered' : 'Not delivered'}</Status>{' '}
          {data.cause ?? `The receiver answered with status ${data.status}.`}{' '}
          <span className="faint">{formatNumber(data.milliseconds)} ms</span>
        </p>
      )}
    </div>
  );
};

/** Switches an endpoint off, or on again. */
const Activity = ({ endpoint: { endpointId, active } }: PartProps) => {
  const { api } = useService();
  const { mutate, isPending, error } = useChange(() => api.webhooks.updateEndpoint({ endpointId, active: !active }), {
    changes: [['webhooks']],
    done: ({ active }) => `The endpoint is switched ${active ? 'on' : 'off'}.`,
  });
  return (
    <>
      <button type="button" className="quiet" disabled={isPending} onClick={() => mutate(undefined)}>
        {active ? 'Switch off' : 'Switch on'}
      </button>
      {error && <Failed error={error} />}
    </>
  );
};

const Edit = ({ endpoint: { endpointId, url, events, description = '' }, onClose }: StepProps) => {
  const { api } = useService();
  const { mutate, isPending, error } = useChange(
    (fields: EndpointFields) => api.webhooks.updateEndpoint({ endpointId, ...fields }),
    { changes: [['webhooks']], done: () => 'The endpoint is changed.' },
  );
  return (
    <Dialog title="Edit the endpoint" onClose={onClose}>
      <EndpointForm
        initial={{ url, events: events as EventFilter[], description }}
        submit="Save"
        isPending={isPending}
        error={error}
        onSubmit={(fields) => mutate(fields, { onSuccess: onClose })}
      >
        <button type="button" className="quiet" onClick={onClose}>
          Cancel
        </button>
      </EndpointForm>
    </Dialog>
  );
};

/** Makes a new secret, which is shown once. */
const Rotation = ({ endpoint: { endpointId }, onClose }: StepProps) => {
  const { api } = useService();
  const { mutate, isPending, error, data } = useChange(() => api.webhooks.rotateSecret({ endpointId }), {
    changes: [['webhooks']],
  });
  return (
    <Dialog title={data ? 'The new secret' : 'Rotate the secret?'} onClose={onClose}>
      {data ? (
        <Secret secret={data.secret} onDone={onClose} />
      ) : (
        <div className="stack">
          <p>A new secret is made and shown once. For 24 hours, the former one signs beside it.</p>
          {error && <Failed error={error} />}
          <div className="buttons">
            <button type="button" disabled={isPending} onClick={() => mutate(undefined)}>
              {isPending ? 'Rotating …' : 'Rotate the secret'}
            </button>
            <button type="button" className="quiet" onClick={onClose}>
              Cancel
            </button>
          </div>
        </div>
      )}
    </Dialog>
  );
};

const Deletion = ({ endpoint: { endpointId, url }, onClose }: StepProps) => {
  const { api } = useService();
  const { mutate, isPending, error } = useChange(() => api.webhooks.deleteEndpoint({ endpointId }), {
    changes: [['webhooks']],
    done: () => 'The endpoint is deleted.',
  });
  return (
    <DeleteDialog
      what="the endpoint"
      name={url}
      consequence="Nothing is sent to it any more, not even what is under way. To pause it, switch it off."
      error={error}
      isDeleting={isPending}
      onDelete={() => mutate(undefined, { onSuccess: close })}
      onClose={onClose}
    />
  );
};
