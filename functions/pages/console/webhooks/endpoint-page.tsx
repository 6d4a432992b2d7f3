import { formatLimit } from '../../../domain/format-limit.ts';
import type { WebhookEndpoint } from '../../../openapi/client/client.ts';
import { buildHref, Link, navigate } from '../address.tsx';
import { AgentName } from '../components/agent-filter.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { DeleteButton, DialogButton, FormDialog } from '../components/dialog.tsx';
import { ChangeButton } from '../components/form.tsx';
import { Empty } from '../components/parts.tsx';
import { Facts, Status, Time } from '../components/values.tsx';
import { formatNumber } from '../formats.ts';
import { useChange } from '../service.tsx';
import { type EndpointFields, EndpointForm, EndpointSecret, type EventFilter } from './endpoint-form.tsx';
import { EndpointStatus } from './endpoint-status.tsx';
import { Successes } from './successes.tsx';

/** An endpoint with its actions, its successes and its deliveries. */
export const EndpointPage = ({ endpoint }: { endpoint: WebhookEndpoint | undefined }) => (
  <>
    <p>
      <Link view="webhooks">All endpoints</Link>
    </p>
    {endpoint ? (
      <Endpoint endpoint={endpoint} />
    ) : (
      <>
        <h1>Endpoint</h1>
        <Empty title="There is no such endpoint">It may have been deleted.</Empty>
      </>
    )}
  </>
);

const Endpoint = ({ endpoint }: PartProps) => {
  const { endpointId, url, events, agentIds = [], description, createdAt } = endpoint;
  return (
    <>
      <div className="heading">
        <h1 className="long-name">
          <bdi>{url}</bdi>
        </h1>
        <div className="buttons">
          <Activity endpoint={endpoint} />
          <DialogButton label="Edit" className="quiet">
            {(onClose) => <Edit endpoint={endpoint} onClose={onClose} />}
          </DialogButton>
          <DialogButton label="Rotate the secret" className="quiet">
            {(onClose) => <Rotation endpoint={endpoint} onClose={onClose} />}
          </DialogButton>
          <DeleteButton
            what="the endpoint"
            name={url}
            consequence="It gets no more events, including those in progress. To pause it, switch it off."
            remove={async (api) => {
              const result = await api.webhooks.deleteEndpoint({ endpointId });
              // The page of the endpoint ends before it is found to be missing.
              if (!result.error) navigate(buildHref('webhooks'), { replace: true });
              return result;
            }}
            changes={[['webhooks']]}
            done="The endpoint is deleted."
          />
        </div>
      </div>
      <div>
        <EndpointStatus endpoint={endpoint} />
      </div>
      <Facts
        facts={{
          Events: events.join(', '),
          'Only agents':
            agentIds.length > 0
              ? agentIds.map((agentId) => (
                  <p key={agentId}>
                    <AgentName agentId={agentId} />
                  </p>
                ))
              : undefined,
          Description: description,
          Created: <Time at={createdAt} />,
          'Endpoint ID': (
            <>
              <code>{endpointId}</code> <CopyButton text={endpointId} what="The id" />
            </>
          ),
        }}
      />
      <Test endpoint={endpoint} />
      <Successes endpointId={endpointId} />
    </>
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
