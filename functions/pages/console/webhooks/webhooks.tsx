import { useAddress } from '../address.tsx';
import { Deliveries } from './deliveries.tsx';
import { useEndpoints } from './endpoint-status.tsx';
import { Endpoints } from './endpoints.tsx';

/** The endpoints that events are sent to, and the deliveries. */
const Webhooks = () => {
  const { endpointId, status } = useAddress().filters;
  const endpoints = useEndpoints();
  return (
    <>
      <h1>Webhooks</h1>
      <Endpoints query={endpoints} />
      <Deliveries key={`${endpointId} ${status}`} endpoints={endpoints.data?.endpoints ?? []} />
    </>
  );
};

export default Webhooks;
