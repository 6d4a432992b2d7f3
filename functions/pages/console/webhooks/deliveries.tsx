import { limits } from '../../../domain/limits.ts';
import {
  type ApiClient,
  dataOf,
  type RequestOptions,
  type WebhookDelivery,
  type WebhookEndpoint,
} from '../../../openapi/client/client.ts';
import { Link, useAddress } from '../address.tsx';
import { FilterBar, SelectFilter } from '../components/fields.tsx';
import { ChangeButton } from '../components/form.tsx';
import { News } from '../components/news.tsx';
import { type Column, PagedTable } from '../components/paged-table.tsx';
import { Empty, Section } from '../components/parts.tsx';
import { Status, Time, useTimeZone } from '../components/values.tsx';
import { formatNumber, formatTime } from '../formats.ts';
import { useChange, usePages } from '../service.tsx';
import { SendAllAgain } from './send-all.tsx';

const states = {
  pending: { tone: 'working', label: 'Pending' },
  delivered: { tone: 'good', label: 'Delivered' },
  failed: { tone: 'bad', label: 'Failed' },
} as const;

const statuses = [
  { value: '', label: 'All' },
  ...Object.entries(states).map(([value, { label }]) => ({ value, label })),
];

/** What a pending delivery waits for, where it is not its own attempt. */
const waits = {
  attempt: undefined,
  retry: undefined,
  confirmation: 'Waits until the address answers another event with 2xx.',
  probe: 'Waits: the endpoint fails, and another event tries it.',
  suspension: 'Waits until the suspension of the user ends.',
} as const;

/** Deliveries are read more often while the next attempt of one is due within this time. */
const soonMilliseconds = 60_000;
const soonIntervalMilliseconds = 3000;

/** The number of deliveries of a page. */
const limit = 30;

const keyOf = ({ deliveryId }: WebhookDelivery) => deliveryId;

type Props = { endpoints: WebhookEndpoint[]; endpointId: string | undefined };

/** The deliveries of events, newest first, with their attempts: those of one endpoint, or of that which is chosen. */
export const Deliveries = ({ endpoints, endpointId: ofPage }: Props) => {
  const { endpointId = ofPage, status } = useAddress().filters;
  const search = { endpointId, status: status as WebhookDelivery['status'] | undefined };
  const list = ['webhooks', 'deliveries', search];
  const read = (api: ApiClient, options: RequestOptions, cursor?: string) =>
    api.webhooks.listDeliveries({ ...search, limit, cursor }, options);
  const pages = usePages(list, read);
  const loaded = pages.data?.pages.flatMap(({ deliveries }) => deliveries) ?? [];
  const isFiltered = endpointId !== ofPage || status !== undefined;
  return (
    <Section
      title="Deliveries"
      actions={
        <>
          <News
            list={[...list, 'pages']}
            keyOf={keyOf}
            one="new delivery"
            several="new deliveries"
            isEnabled={pages.isSuccess}
            shown={loaded}
            read={async (api, options) => {
              const { deliveries } = dataOf(await read(api, options));
              // In place of those that are deleted, the page has older ones.
              return deliveries.filter(({ createdAt }) => createdAt >= (loaded.at(-1)?.createdAt ?? ''));
            }}
            max={limit}
            intervalMilliseconds={loaded.slice(0, limit).some(isDueSoon) ? soonIntervalMilliseconds : undefined}
            related={['webhooks', 'failure']}
          />
          <SendAllAgain endpointId={endpointId} />
        </>
      }
    >
      <FilterBar>
        {!ofPage && (
          <SelectFilter
            name="endpointId"
            label="Endpoint"
            options={[
              { value: '', label: 'All' },
              ...endpoints.map(({ endpointId, url }) => ({ value: endpointId, label: url })),
            ]}
          />
        )}
        <SelectFilter name="status" label="Status" options={statuses} />
      </FilterBar>
      <PagedTable
        caption="Deliveries"
        pages={pages}
        itemsOf={({ deliveries }) => deliveries}
        keyOf={keyOf}
        columns={columns}
        empty={
          isFiltered ? (
            <Empty title="No delivery matches these filters">
              <Link filters={{ status: undefined, endpointId: undefined }}>Show all deliveries</Link>
            </Empty>
          ) : (
            <Empty title={`Nothing was sent in the last ${limits.webhookDays} days`}>
              An event is sent to every endpoint that asks for its type.
            </Empty>
          )
        }
      />
    </Section>
  );
};

/** A pending delivery without a time for its next attempt is being sent, or waits until its endpoint succeeds. */
const isDueSoon = ({ status, nextAttemptAt }: WebhookDelivery) =>
  status === 'pending' && (nextAttemptAt === undefined || Date.parse(nextAttemptAt) < Date.now() + soonMilliseconds);

const State = ({ delivery: { status, attempts, nextAttemptAt, waitsFor } }: { delivery: WebhookDelivery }) => {
  const cause = attempts.at(-1)?.cause;
  const wait = waitsFor && waits[waitsFor];
  const label = wait ? 'Waiting' : status === 'pending' && cause ? 'Retrying' : states[status].label;
  return (
    <>
      <Status tone={states[status].tone} label={label} />
      {cause && <p className="faint">{cause}</p>}
      {wait && <p className="faint">{wait}</p>}
      {nextAttemptAt && Date.parse(nextAttemptAt) > Date.now() && (
        <p className="faint">
          Next attempt <Time at={nextAttemptAt} />
        </p>
      )}
    </>
  );
};

const Attempts = ({ delivery: { attempts } }: { delivery: WebhookDelivery }) => {
  if (attempts.length === 0) return <span className="faint">None yet</span>;
  return (
    <details>
      <summary>{attempts.length === 1 ? '1 attempt' : `${formatNumber(attempts.length)} attempts`}</summary>
      <ol className="history">
        {attempts.map(({ at, status, milliseconds, cause }) => (
          <li key={at}>
            <Time at={at} hasSeconds />: {cause ?? `Status ${status}.`}{' '}
            <span className="faint">{formatNumber(milliseconds)} ms</span>
          </li>
        ))}
      </ol>
    </details>
  );
};

/** Sends an event again, with the same id. */
const SendAgain = ({ delivery: { deliveryId, type, createdAt } }: { delivery: WebhookDelivery }) => {
  const timeZone = useTimeZone();
  const change = useChange((api, options) => api.webhooks.redeliver({ deliveryId }, options), {
    changes: [
      ['webhooks', 'deliveries'],
      ['webhooks', 'successes'],
    ],
    done: () => 'The event is sent again.',
  });
  const time = formatTime(createdAt, timeZone, { timeStyle: 'medium' });
  return (
    <ChangeButton change={change} className="quiet small" label={`Send again: ${type} of ${time}`}>
      Send again
    </ChangeButton>
  );
};

const columns: Column<WebhookDelivery>[] = [
  { heading: 'Happened', cell: ({ createdAt }) => <Time at={createdAt} hasSeconds /> },
  { heading: 'Event', cell: ({ type }) => <code className="unbroken">{type}</code> },
  { heading: 'State', isLong: true, cell: (delivery) => <State delivery={delivery} /> },
  { heading: 'Attempts', cell: (delivery) => <Attempts delivery={delivery} /> },
  { heading: 'Change', isHidden: true, cell: (delivery) => <SendAgain delivery={delivery} /> },
];
