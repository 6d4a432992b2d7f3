import type { BlockedNumber } from '../../../openapi/client/client.ts';
import { Link, useAddress } from '../address.tsx';
import { AgentFilter, useAgentName } from '../components/agent-filter.tsx';
import { DialogButton } from '../components/dialog.tsx';
import { FilterBar, TextFilter } from '../components/fields.tsx';
import { type Column, PagedTable } from '../components/paged-table.tsx';
import { Empty, Section } from '../components/parts.tsx';
import { useTypedNumber } from '../components/typed-number.ts';
import { Time } from '../components/values.tsx';
import { formatPhone } from '../formats.ts';
import { usePages } from '../service.tsx';
import { BlockDialog } from './block-dialog.tsx';
import { BlockedBy, NumberName } from './decision.tsx';
import { Imports } from './imports.tsx';
import { NumberPage } from './number-page.tsx';
import { BlockListRules } from './rules.tsx';
import { Unblock } from './unblock.tsx';

/** Blocked numbers with the imports of files, the rules of block lists, and what there is about one number. */
const Numbers = () => {
  const { number, agentId, section } = useAddress().filters;
  const read = useTypedNumber(agentId);
  const isOpen = number !== undefined && number !== '';
  return (
    <>
      {isOpen && (
        <p>
          <Link view="numbers" filters={{ agentId }}>
            All numbers
          </Link>
        </p>
      )}
      <h1>{isOpen ? <NumberName number={read(number)} agentId={agentId} /> : 'Numbers'}</h1>
      <FilterBar>
        <TextFilter name="number" label="Look up a number" type="tel" placeholder="+14155550100" parse={read} />
        <AgentFilter all="All agents" />
      </FilterBar>
      {isOpen ? (
        <NumberPage key={`${number} ${agentId}`} number={read(number)} agentId={agentId} />
      ) : (
        <>
          <nav aria-label="Sections of the numbers">
            <ul className="sections">
              {[undefined, 'rules'].map((path) => (
                <li key={path ?? ''}>
                  <Link
                    view="numbers"
                    filters={{ agentId, section: path }}
                    aria-current={section === path ? 'page' : undefined}
                  >
                    {path ? 'Rules' : 'Blocked numbers'}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          {section === 'rules' ? (
            <BlockListRules key={agentId} agentId={agentId} />
          ) : (
            <>
              <BlockedNumbers key={agentId} agentId={agentId} />
              <Imports />
            </>
          )}
        </>
      )}
    </>
  );
};

/** The list of an agent, or the user's own one, which is in force for all agents. */
const BlockedNumbers = ({ agentId }: { agentId: string | undefined }) => {
  const name = useAgentName(agentId ?? '');
  const pages = usePages(['numbers', agentId], (api, options, cursor) =>
    agentId
      ? api.blockList.list({ agentId, limit: 100, cursor }, options)
      : api.userBlockList.list({ limit: 100, cursor }, options),
  );
  const columns: Column<BlockedNumber>[] = [
    ...columnsOfNumbers,
    { heading: 'Change', isHidden: true, cell: ({ number }) => <Unblock number={number} agentId={agentId} /> },
  ];
  const list = agentId ? `blocked for ${name}` : 'blocked for all agents';
  return (
    <Section
      title={`Numbers ${list}`}
      actions={
        <DialogButton label="Block numbers">
          {(onClose) => <BlockDialog agentId={agentId} onClose={onClose} />}
        </DialogButton>
      }
    >
      <PagedTable
        caption={`Numbers ${list}`}
        pages={pages}
        itemsOf={({ entries }) => entries}
        keyOf={({ number }) => number}
        columns={columns}
        empty={
          <Empty title={`No number is ${list}`}>
            <p>
              {agentId
                ? 'Numbers that are blocked for all agents are on another list: choose “All agents”.'
                : 'Each agent also has its own list: choose an agent to see it.'}{' '}
              Block numbers here, import a file, or let an outcome of a call block its number:{' '}
              <a href="/docs/block-lists">about block lists</a>.
            </p>
          </Empty>
        }
      />
    </Section>
  );
};

const columnsOfNumbers: Column<BlockedNumber>[] = [
  {
    heading: 'Number',
    cell: ({ number }) => (
      <Link className="unbroken" filters={{ number }}>
        {formatPhone(number)}
      </Link>
    ),
  },
  {
    heading: 'Reason',
    isLong: true,
    cell: ({ reason }) => (reason ? <bdi>{reason}</bdi> : <span className="faint">None given</span>),
  },
  { heading: 'Blocked', cell: ({ blockedAt }) => <Time at={blockedAt} /> },
  {
    heading: 'By',
    isLong: true,
    cell: (entry) => <BlockedBy {...entry} />,
  },
  { heading: 'Until', cell: ({ expiresAt }) => expiresAt && <Time at={expiresAt} /> },
];

export default Numbers;
