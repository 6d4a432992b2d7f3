import { useAddress } from '../address.tsx';
import { useRead } from '../service.tsx';
import { Deliveries } from './deliveries.tsx';
import { Endpoints } from './endpoints.tsx';

/** The endpoints that events are sent to, and the deliveries. */
const Webhooks = () => {
  const { endpointId, status } = useAddress().filters;
  const endpoints = useRead(['webhooks', 'endpoints'], (api, options) => api.webhooks.listEndpoints({}, options));
  return (
    <>
      <h1>Webhooks</h1>
      <Endpoints query={endpoints} />
      <Deliveries key={`${endpointId} ${status}`} endpoints={endpoints.data?.endpoints ?? []} />
    </>
  );
};

export default Webhooks;
