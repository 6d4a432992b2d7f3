import type { ApiClient, RequestOptions, WebhookEndpoint } from '../../../openapi/client/client.ts';
import { Status, Time } from '../components/values.tsx';
import { useRead } from '../service.tsx';

const reasons = {
  gone: 'The receiver answered that it is gone for good.',
  failing: 'It failed for five days without a success.',
};

export const endpointsName = ['webhooks', 'endpoints'];
export const readEndpoints = (api: ApiClient, options: RequestOptions) => api.webhooks.listEndpoints({}, options);
export const useEndpoints = () => useRead(endpointsName, readEndpoints);

/** Returns why an endpoint fails, and when its next attempt is; undefined while it does not. */
export const useFailure = ({
  endpoint: { endpointId, active, failingSince, disabledReason },
}: {
  endpoint: WebhookEndpoint;
}): { reason: string; nextAttemptAt?: string | undefined } | undefined => {
  const isFailing = active && failingSince !== undefined;
  // The delivery that tries the endpoint is the oldest of those that are pending, which wait for it.
  const { data } = useRead(
    ['webhooks', 'failure', endpointId],
    (api, options) => api.webhooks.listDeliveries({ endpointId, limit: 100 }, options),
    { enabled: isFailing },
  );
  if (!active) return disabledReason && { reason: reasons[disabledReason] };
  if (!isFailing) return undefined;
  const tried = data?.deliveries.filter(({ attempts }) => attempts.at(-1)?.cause) ?? [];
  const last = tried.toSorted((a, b) => ((a.attempts.at(-1)?.at ?? '') < (b.attempts.at(-1)?.at ?? '') ? 1 : -1))[0];
  return {
    reason: last?.attempts.at(-1)?.cause ?? 'no delivery succeeds.',
    nextAttemptAt: tried
      .map(({ nextAttemptAt }) => nextAttemptAt ?? '')
      .filter(Boolean)
      .toSorted()[0],
  };
};

/** Shows the state of an endpoint, why it fails, and when it is tried again. */
export const EndpointStatus = ({ endpoint }: { endpoint: WebhookEndpoint }) => {
  const { active, confirmedAt, failingSince, disabledAt, disabledReason } = endpoint;
  const failure = useFailure({ endpoint });
  if (!active) {
    return (
      <>
        <Status tone="off" label={disabledReason ? 'Switched off by the service' : 'Switched off'} />
        {failure && disabledAt && (
          <p className="faint">
            {failure.reason} <Time at={disabledAt} />
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
          Since <Time at={failingSince} />: {failure?.reason}
          {failure?.nextAttemptAt && (
            <>
              {' '}
              Next attempt <Time at={failure.nextAttemptAt} />
            </>
          )}
        </p>
      ) : (
        !confirmedAt && (
          <p className="faint">Until the address answers an event or a test with 2xx, it gets one event at a time.</p>
        )
      )}
    </>
  );
};
