import { useAddress } from '../address.tsx';
import { Loaded } from '../components/parts.tsx';
import { Deliveries } from './deliveries.tsx';
import { EndpointPage } from './endpoint-page.tsx';
import { useEndpoints } from './endpoint-status.tsx';
import { Endpoints } from './endpoints.tsx';

/** The endpoints that events are sent to, or one of them, and the deliveries. */
const Webhooks = () => {
  const { open, endpointId, status } = useAddress().filters;
  const query = useEndpoints();
  const endpoints = query.data?.endpoints ?? [];
  const opened = endpoints.find(({ endpointId }) => endpointId === open);
  return (
    <>
      {open ? (
        <Loaded query={query}>{() => <EndpointPage endpoint={opened} />}</Loaded>
      ) : (
        <>
          <h1>Webhooks</h1>
          <Endpoints query={query} />
        </>
      )}
      {(!open || opened) && (
        <Deliveries key={`${open} ${endpointId} ${status}`} endpointId={open} endpoints={endpoints} />
      )}
    </>
  );
};

export default Webhooks;
