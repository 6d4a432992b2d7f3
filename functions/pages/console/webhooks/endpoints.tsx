import type { UseQueryResult } from '@tanstack/react-query';
import { dataOf, type ListWebhookEndpointsResponse, type WebhookEndpoint } from '../../../openapi/client/client.ts';
import { NameLink } from '../address.tsx';
import { DialogButton } from '../components/dialog.tsx';
import { News } from '../components/news.tsx';
import { type Column, Table } from '../components/paged-table.tsx';
import { Empty, Loaded, Section } from '../components/parts.tsx';
import { Time } from '../components/values.tsx';
import { CreateEndpointDialog } from './endpoint-form.tsx';
import { EndpointStatus, endpointsName, readEndpoints } from './endpoint-status.tsx';

/** The endpoints of the user. */
export const Endpoints = ({ query }: { query: UseQueryResult<ListWebhookEndpointsResponse> }) => {
  return (
    <Section
      title="Endpoints"
      actions={
        <>
          <News
            list={endpointsName}
            keyOf={keyOf}
            one="new endpoint"
            several="new endpoints"
            isEnabled={query.isSuccess}
            shown={query.data?.endpoints ?? []}
            read={async (api, options) => dataOf(await readEndpoints(api, options)).endpoints}
            related={['webhooks', 'failure']}
          />
          <DialogButton label="Create an endpoint">
            {(onClose) => <CreateEndpointDialog onClose={onClose} />}
          </DialogButton>
        </>
      }
    >
      <Loaded query={query} rows={3}>
        {({ endpoints }) => (
          <Table
            caption="Endpoints"
            items={endpoints}
            keyOf={keyOf}
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
        )}
      </Loaded>
    </Section>
  );
};

const keyOf = ({ endpointId }: WebhookEndpoint) => endpointId;

const columns: Column<WebhookEndpoint>[] = [
  {
    heading: 'Address',
    isLong: true,
    cell: ({ endpointId, url }) => <NameLink view="webhooks" filters={{ open: endpointId }} name={url} />,
  },
  { heading: 'State', cell: (endpoint) => <EndpointStatus endpoint={endpoint} /> },
  { heading: 'Events', isLong: true, cell: ({ events }) => events.join(', ') },
  { heading: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
];
