import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import type { ListWebhookEndpointsResponse, WebhookEndpoint } from '../../../openapi/client/client.ts';
import { Link, useAddress } from '../address.tsx';
import { type Column, Table } from '../components/paged-table.tsx';
import { Section } from '../components/section.tsx';
import { Empty, Loaded } from '../components/states.tsx';
import { Time } from '../components/time.tsx';
import { CreateEndpointDialog } from './create-endpoint-dialog.tsx';
import { EndpointDialog } from './endpoint-dialog.tsx';
import { EndpointStatus } from './endpoint-status.tsx';

/** The endpoints of the user, and one of them with its actions. */
export const Endpoints = ({ query }: { query: UseQueryResult<ListWebhookEndpointsResponse> }) => {
  const { open } = useAddress().filters;
  const [isCreating, setCreating] = useState(false);
  return (
    <Section
      title="Endpoints"
      actions={
        <button type="button" onClick={() => setCreating(true)}>
          Create an endpoint
        </button>
      }
    >
      <Loaded query={query} rows={3}>
        {({ endpoints }) => (
          <>
            <Table
              caption="Endpoints"
              items={endpoints}
              keyOf={({ endpointId }) => endpointId}
              columns={columns}
              empty={
                <Empty title="Nothing is sent anywhere yet">
                  <p>
                    Create an endpoint to have events sent to a server of yours, such as when a call was recorded:{' '}
                    <a href="/docs/webhooks">about webhooks</a>.
                  </p>
                </Empty>
              }
            />
            {open && <EndpointDialog endpoint={endpoints.find(({ endpointId }) => endpointId === open)} />}
          </>
        )}
      </Loaded>
      {isCreating && <CreateEndpointDialog onClose={() => setCreating(false)} />}
    </Section>
  );
};

const Url = ({ endpoint: { endpointId, url } }: { endpoint: WebhookEndpoint }) => (
  <Link view="webhooks" filters={{ ...useAddress().filters, open: endpointId }}>
    <bdi>{url}</bdi>
  </Link>
);

const columns: Column<WebhookEndpoint>[] = [
  { heading: 'Address', isLong: true, cell: (endpoint) => <Url endpoint={endpoint} /> },
  { heading: 'State', cell: (endpoint) => <EndpointStatus endpoint={endpoint} /> },
  { heading: 'Events', isLong: true, cell: ({ events }) => events.join(', ') },
  { heading: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
];
