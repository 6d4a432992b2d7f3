import type { User, UserFigures } from '../../../openapi/client/client.ts';
import { NameLink, useAddress } from '../address.tsx';
import { DialogButton } from '../components/dialog.tsx';
import { FilterBar } from '../components/fields.tsx';
import { listFigureColumns, PeriodFilter, readPeriod } from '../components/figures.tsx';
import { type Column, PagedTable } from '../components/paged-table.tsx';
import { Empty, Section } from '../components/parts.tsx';
import { Time, useTimeZone } from '../components/values.tsx';
import { formatNumber } from '../formats.ts';
import { usePages } from '../service.tsx';
import { ClientDialog } from './client-dialog.tsx';
import { ClientPage, ClientStatus } from './client-page.tsx';

const useClients = () =>
  usePages(['clients'], (api, options, cursor) => api.users.list({ limit: 50, cursor }, options));

/** The view Clients: the users whom this one has created, their figures, and one of them with its keys. */
const Clients = () => {
  const { client } = useAddress().filters;
  const pages = useClients();
  if (client) return <ClientPage key={client} uid={client} />;
  return (
    <Section
      title="Clients"
      isView
      actions={<DialogButton label="New client">{(onClose) => <ClientDialog onClose={onClose} />}</DialogButton>}
    >
      <PagedTable
        caption="Clients"
        pages={pages}
        itemsOf={({ users }) => users}
        keyOf={({ uid }) => uid}
        columns={columns}
        empty={
          <Empty title="You have no client yet">
            <p>
              A client is a user of its own, with agents, calls and keys that no other client sees:{' '}
              <a href="/docs/users-and-keys">about users and keys</a>.
            </p>
          </Empty>
        }
      />
      <Figures />
    </Section>
  );
};

/** The call figures of each client in a period. */
const Figures = () => {
  const { filters } = useAddress();
  const timeZone = useTimeZone();
  const search = { ...readPeriod(filters, timeZone), timeZone };
  const pages = usePages(['clients', 'figures', search], (api, options, cursor) =>
    api.users.getFigures({ ...search, limit: 20, cursor }, options),
  );
  const costs = pages.data?.pages.flatMap(({ users }) => users).reduce((sum, { costs }) => sum + costs, 0) ?? 0;
  return (
    <Section title="Calls by client">
      <FilterBar>
        <PeriodFilter />
      </FilterBar>
      {pages.data?.pages.some(({ pending }) => pending) && (
        <p className="faint">Recent changes are still being counted: the figures of some clients are not complete.</p>
      )}
      <PagedTable
        caption="Calls by client"
        pages={pages}
        itemsOf={({ users }) => users}
        keyOf={({ uid }) => uid}
        columns={[
          { heading: 'Client', cell: ({ uid }) => <ClientLink uid={uid} /> },
          ...(listFigureColumns({ costs }, ['Margin']) as Column<UserFigures>[]),
        ]}
        empty={<Empty title="There is no client whose calls could be counted" />}
      />
    </Section>
  );
};

const ClientLink = ({ uid }: Pick<User, 'uid'>) => {
  const client = useClients().data?.pages.flatMap(({ users }) => users.filter((user) => user.uid === uid))[0];
  return <NameLink view="clients" filters={{ client: uid }} name={client?.name ?? uid} />;
};

const columns: Column<User>[] = [
  { heading: 'Client', cell: ({ uid }) => <ClientLink uid={uid} /> },
  { heading: 'User ID', cell: ({ uid }) => <code>{uid}</code> },
  { heading: 'State', cell: (user) => <ClientStatus {...user} /> },
  {
    heading: 'Agents',
    cell: ({ agents, quotas }) => `${formatNumber(agents)} of ${formatNumber(quotas.agents)}`,
    isNumber: true,
  },
  { heading: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

export default Clients;
