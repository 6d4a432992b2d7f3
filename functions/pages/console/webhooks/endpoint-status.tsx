import type { WebhookEndpoint } from '../../../openapi/client/client.ts';
import { Status, Time } from '../components/values.tsx';

const reasons = {
  gone: 'The receiver answered that it is gone for good.',
  failing: 'It failed for five days without a success.',
};

/** Shows the state of an endpoint, and the time since which it has failed. */
export const EndpointStatus = ({ endpoint }: { endpoint: WebhookEndpoint }) => {
  const { active, confirmedAt, failingSince, disabledAt, disabledReason } = endpoint;
  if (!active) {
    return (
      <>
        <Status tone="off" label={disabledReason ? 'Switched off by the service' : 'Switched off'} />
        {disabledReason && disabledAt && (
          <p className="faint">
            {reasons[disabledReason]} <Time at={disabledAt} />
          </p>
        )}
      </>
    );
  }
  return (
    <>
      <Status tone={failingSince ? 'bad' : 'good'} label={failingSince ? 'Failing' : 'Active'} />
      {failingSince ? (
        <p className="faint">
          Since <Time at={failingSince} />
        </p>
      ) : (
        !confirmedAt && (
          <p className="faint">Until the address answers an event or a test with 2xx, it gets one event at a time.</p>
        )
      )}
    </>
  );
};
