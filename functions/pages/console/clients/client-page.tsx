import type { AgentFigures, User } from '../../../openapi/client/client.ts';
import { buildHref, Link, navigate, useAddress } from '../address.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { DeleteButton, DialogButton, FormDialog } from '../components/dialog.tsx';
import { FilterBar } from '../components/fields.tsx';
import { listCurrencies, listFigureColumns, PeriodFilter } from '../components/figures.tsx';
import { ChangeButton } from '../components/form.tsx';
import { type Column, Table } from '../components/paged-table.tsx';
import { Failed, Loaded, Section, Skeleton } from '../components/parts.tsx';
import { Facts, Time } from '../components/values.tsx';
import { formatNumber } from '../formats.ts';
import { KeyList } from '../keys/key-list.tsx';
import { useChange, useRead } from '../service.tsx';
import { BudgetSection } from './budget.tsx';
import { ClientDialog } from './client-dialog.tsx';
import { listClientColumns, useClientFigures } from './client-figures.tsx';
import { ClientStatus } from './client-status.tsx';
import { OpenConsole } from './open-console.tsx';

/** A client with its quotas, its keys, and its end. */
export const ClientPage = ({ uid }: { uid: string }) => {
  const client = useRead(['clients', uid], (api, options) => api.users.get({ uid }, options));
  return (
    <>
      <p>
        <Link view="clients">All clients</Link>
      </p>
      <Loaded query={client} rows={4}>
        {(data) => (
          <>
            <div className="heading">
              <h1>
                <bdi>{data.name ?? uid}</bdi>
              </h1>
              <Actions client={data} />
            </div>
            <ClientStatus suspended={data.suspended} />
            {data.suspended && (
              <p className="faint">Every request with a key of the client is refused. Its webhooks wait.</p>
            )}
            <Facts
              facts={{
                'User ID': (
                  <>
                    <code>{uid}</code> <CopyButton text={uid} what="The id" />
                  </>
                ),
                Agents: `${formatNumber(data.agents)} of ${formatNumber(data.quotas.agents)}`,
                'Knowledge source limit': formatNumber(data.quotas.sources),
                Created: <Time at={data.createdAt} />,
              }}
            />
            <BudgetSection budget={data.budget} />
            <ClientFigures client={data} />
            <KeyList uid={uid} />
          </>
        )}
      </Loaded>
    </>
  );
};

/** The figures of a client in a period, and those of its agents. A key of its maker does not read their names. */
const ClientFigures = ({ client }: { client: User }) => {
  const { period, from, to } = useAddress().filters;
  const { now, figures, row } = useClientFigures(client);
  if (now.error) return <Failed error={now.error} onRetry={now.retry} />;
  const columns = figures && listClientColumns(listCurrencies(figures)[0]).filter(({ heading }) => isShown(heading));
  return (
    <Section title="Calls">
      <FilterBar>
        <PeriodFilter />
      </FilterBar>
      {figures && columns ? (
        <>
          <Facts facts={Object.fromEntries(columns.map(({ heading, cell }) => [heading, cell(row)]))} />
          <Table
            caption="Figures by agent"
            items={figures.agents ?? []}
            keyOf={({ agentId }) => agentId}
            columns={[agentColumn, ...listFigureColumns(figures)]}
            sortedBy={figures.costs > 0 ? 'Cost' : 'Calls'}
            empty={<p className="faint">None of its agents had calls in this period.</p>}
          />
          {now.isPending && <p className="faint">Recent changes are still being counted.</p>}
          {!client.suspended && (
            <div className="buttons">
              <OpenConsole client={client} label="Show the agents by name" filters={{ period, from, to }} />
            </div>
          )}
        </>
      ) : (
        <Skeleton rows={4} />
      )}
    </Section>
  );
};

/** The figures of a client alone. */
const isShown = (heading: string) => ['Calls', 'Change', 'Minutes', 'Value', 'Cost', 'Margin'].includes(heading);

const agentColumn: Column<AgentFigures> = {
  heading: 'Agent',
  isLong: true,
  cell: ({ agentId }) => <code>{agentId}</code>,
};

const Actions = ({ client }: { client: User }) => {
  const { uid, name = uid, suspended } = client;
  const changes = [['clients']];
  const suspension = useChange((api, options) => api.users.update({ uid, suspended: !suspended }, options), {
    changes,
    done: ({ suspended }) => `The client is ${suspended ? 'suspended' : 'active again'}.`,
  });
  return (
    <div className="buttons">
      {!suspended && <OpenConsole client={client} />}
      <DialogButton label="Edit" className="quiet">
        {(onClose) => <ClientDialog client={client} onClose={onClose} />}
      </DialogButton>
      {suspended ? (
        <ChangeButton change={suspension} className="quiet">
          Resume
        </ChangeButton>
      ) : (
        <DialogButton label="Suspend" className="quiet">
          {(onClose) => (
            <FormDialog
              title={`Suspend ${name}?`}
              change={suspension}
              submit={`Suspend ${name}`}
              pending="In progress …"
              isDanger
              onSubmit={() => suspension.mutate(undefined, { onSuccess: onClose })}
              onClose={onClose}
            >
              <p>
                Until you resume it, every request with a key of the client is refused, its agents take no calls, and
                its webhooks wait. Nothing is deleted.
              </p>
            </FormDialog>
          )}
        </DialogButton>
      )}
      <DeleteButton
        what="the client"
        name={uid}
        consequence="Its keys end at once. Its agents, calls and knowledge are deleted in the background. This cannot be undone."
        remove={(api) => api.users.delete({ uid, confirm: uid })}
        changes={changes}
        done="The client is being deleted."
        onDeleted={() => navigate(buildHref('clients'), { replace: true })}
      />
    </div>
  );
};
