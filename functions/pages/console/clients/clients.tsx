import { useAddress } from '../address.tsx';
import { DialogButton } from '../components/dialog.tsx';
import { FilterBar, SelectFilter, TextFilter } from '../components/fields.tsx';
import { PeriodFilter } from '../components/figures.tsx';
import { Table } from '../components/paged-table.tsx';
import { Empty, Failed, Loaded, Section } from '../components/parts.tsx';
import { saveFile } from '../components/save-file.ts';
import { addDays, formatNumber } from '../formats.ts';
import { ClientDialog } from './client-dialog.tsx';
import { listClientColumns, toClientCsv, useClientRows } from './client-figures.tsx';
import { ClientPage } from './client-page.tsx';

/** The view Clients: the users whom this one has created with their figures, and one of them with its keys. */
const Clients = () => {
  const { client } = useAddress().filters;
  return client ? <ClientPage key={client} uid={client} /> : <ClientList />;
};

const ClientList = () => {
  const { search = '' } = useAddress().filters;
  const { clients, period, now, rows, currencies, currency, total } = useClientRows();
  const words = search.toLowerCase();
  const shown = rows.filter(({ uid, name = '' }) => `${name} ${uid}`.toLowerCase().includes(words));
  const columns = listClientColumns(currency);
  const isExact = now.isComplete && !now.isPending;
  const save = () => {
    const days = `${period.from}-to-${addDays(period.to, -1)}`;
    saveFile(toClientCsv(rows, currencies), `clients-${days}${isExact ? '' : '-incomplete'}.csv`);
  };
  return (
    <Section
      title="Clients"
      isView
      actions={<DialogButton label="New client">{(onClose) => <ClientDialog onClose={onClose} />}</DialogButton>}
    >
      <FilterBar>
        <TextFilter name="search" label="Find a client" type="search" isLive />
        <PeriodFilter />
        {currencies.length > 1 && (
          <SelectFilter
            name="currency"
            label="Costs in"
            options={currencies.map((value) => ({ value, label: value }))}
          />
        )}
      </FilterBar>
      {now.error && <Failed error={now.error} onRetry={now.retry} />}
      <Loaded query={clients} rows={8}>
        {({ length }) => (
          <>
            {length > 0 && !isExact && (
              <p className="faint" role="status">
                {now.isComplete || now.more
                  ? 'Recent changes are still being counted: the figures of some clients are not complete.'
                  : `The calls of ${formatNumber(now.byClient.size)} of ${formatNumber(length)} clients are counted.`}
              </p>
            )}
            <Table
              // A table keeps its order until its columns differ.
              key={columns.length}
              caption="Clients"
              items={shown}
              total={search || !now.isComplete ? undefined : total}
              sortedBy={currency ? 'Cost' : 'Calls'}
              keyOf={({ uid }) => uid}
              columns={columns}
              empty={
                search ? (
                  <Empty title="No client has this name or user ID" />
                ) : (
                  <Empty title="You have no client yet">
                    <p>
                      A client is a user of its own, with agents, calls and keys that no other client sees:{' '}
                      <a href="/docs/users-and-keys">about users and keys</a>.
                    </p>
                  </Empty>
                )
              }
            />
            {length > 0 && (
              <div className="buttons">
                {now.more && (
                  <button type="button" className="quiet" onClick={now.more}>
                    Count more clients
                  </button>
                )}
                <button type="button" className="quiet" onClick={save}>
                  {isExact ? 'Download as CSV' : 'Download as CSV (incomplete)'}
                </button>
              </div>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
};

export default Clients;
