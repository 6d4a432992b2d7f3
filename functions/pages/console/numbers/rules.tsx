import type { GetBlockListRulesResponse } from '../../../openapi/client/client.ts';
import { Link, useAddress } from '../address.tsx';
import { useAgentName } from '../components/agent-filter.tsx';
import { DialogButton, FormDialog } from '../components/dialog.tsx';
import { FilterBar, TextField, TextFilter } from '../components/fields.tsx';
import type { Texts } from '../components/form.tsx';
import { type Column, Table } from '../components/paged-table.tsx';
import { Empty, Loaded, Section } from '../components/parts.tsx';
import { useTypedNumber } from '../components/typed-number.ts';
import { formatPhone } from '../formats.ts';
import { ForNumber, ListDecision } from './decision.tsx';
import { type Rules, useRules, useRulesChange } from './rules-of-list.ts';

type Prefix = GetBlockListRulesResponse['prefixes'][number];
type OfList = { agentId: string | undefined };

/** The rules of a block list: the prefixes that it blocks, and the numbers that it allows. */
export const BlockListRules = ({ agentId }: OfList) => {
  const { test } = useAddress().filters;
  const read = useTypedNumber(agentId);
  const name = useAgentName(agentId ?? '');
  const rules = useRules(agentId);
  const list = agentId ? `for ${name}` : 'for all agents';
  return (
    <>
      <p className="faint">
        An entry of the number itself comes first, then the allowed numbers of either list, then the longest prefix.{' '}
        <a href="/docs/block-lists">About rules</a>
      </p>
      <Section title="What decides for a number?">
        <FilterBar>
          <TextFilter name="test" label="Number to test" type="tel" placeholder="+14155550100" parse={read} />
        </FilterBar>
        {test && (
          <ForNumber key={test} number={read(test)} agentId={agentId}>
            {(decision) => (
              <>
                <ListDecision decision={decision} agentId={agentId} />
                <Link view="numbers" filters={{ number: decision.number, agentId }}>
                  Everything about {formatPhone(decision.number)}
                </Link>
              </>
            )}
          </ForNumber>
        )}
      </Section>
      <Section
        title={`Prefixes blocked ${list}`}
        actions={
          <DialogButton label="Block a prefix">
            {(onClose) => <PrefixDialog agentId={agentId} onClose={onClose} />}
          </DialogButton>
        }
      >
        <Loaded query={rules}>
          {({ prefixes }) => (
            <Table
              caption="Blocked prefixes"
              items={prefixes.map((prefix) => ({ ...prefix, agentId }))}
              keyOf={({ prefix }) => prefix}
              columns={columnsOfPrefixes}
              empty={
                <Empty title={`No prefix is blocked ${list}`}>
                  A prefix blocks every number that begins with it, such as those of a country or a range.
                </Empty>
              }
            />
          )}
        </Loaded>
      </Section>
      <Section
        title={`Numbers allowed ${list}`}
        actions={
          <DialogButton label="Allow a number">
            {(onClose) => <AllowDialog agentId={agentId} onClose={onClose} />}
          </DialogButton>
        }
      >
        <Loaded query={rules}>
          {({ allow }) => (
            <Table
              caption="Allowed numbers"
              items={allow.map((number) => ({ number, agentId }))}
              keyOf={({ number }) => number}
              columns={columnsOfAllowed}
              empty={
                <Empty title={`No number is allowed ${list}`}>
                  No prefix blocks an allowed number. Add the customers that no rule may catch.
                </Empty>
              }
            />
          )}
        </Loaded>
      </Section>
    </>
  );
};

/** Blocks a prefix, or changes one in its place. */
const PrefixDialog = ({ agentId, former, onClose }: OfList & { former?: Prefix; onClose(): void }) => {
  const change = useRulesChange(agentId, former ? 'The prefix is changed.' : 'The prefix is blocked.');
  return (
    <FormDialog
      title={former ? `Change the prefix ${former.prefix}` : 'Block a prefix'}
      change={change}
      submit={former ? 'Save' : 'Block the prefix'}
      pending="Saving …"
      onSubmit={({ prefixes: prefix = '', reason }: Texts) => {
        const entry = { prefix, reason: reason || undefined };
        const edit = ({ prefixes, allow }: Rules): Rules => ({
          allow,
          prefixes: former ? prefixes.map((one) => (one.prefix === former.prefix ? entry : one)) : [...prefixes, entry],
        });
        change.mutate(edit, { onSuccess: onClose });
      }}
      onClose={onClose}
    >
      <TextField
        label="Prefix"
        name="prefixes"
        note="A plus sign and the first digits, such as +882."
        required
        autoComplete="off"
        defaultValue={former?.prefix}
      />
      <TextField
        label="Reason"
        name="reason"
        note="Shown when a number is looked up."
        maxLength={256}
        defaultValue={former?.reason}
      />
    </FormDialog>
  );
};

/** Allows a number, which no prefix blocks then. */
const AllowDialog = ({ agentId, onClose }: OfList & { onClose(): void }) => {
  const read = useTypedNumber(agentId);
  const change = useRulesChange(agentId, 'The number is allowed.');
  return (
    <FormDialog
      title="Allow a number"
      change={change}
      submit="Allow the number"
      pending="Saving …"
      onSubmit={({ allow: typed = '' }: Texts) =>
        change.mutate(({ prefixes, allow }) => ({ prefixes, allow: [...allow, read(typed)] }), { onSuccess: onClose })
      }
      onClose={onClose}
    >
      <TextField
        label="Number"
        name="allow"
        type="tel"
        note="An entry of the number itself still blocks it."
        required
        autoComplete="off"
      />
    </FormDialog>
  );
};

type RemoveProps = OfList & { what: string; edit(rules: Rules): Rules };

/** Removes a rule after a confirmation. */
const RemoveRule = ({ agentId, what, edit }: RemoveProps) => {
  const change = useRulesChange(agentId, `${what} is removed.`);
  return (
    <DialogButton label="Remove" fullLabel={`Remove ${what}`} className="quiet small">
      {(onClose) => (
        <FormDialog
          title={`Remove ${what}?`}
          change={change}
          submit="Remove"
          pending="Removing …"
          isDanger
          onSubmit={() => change.mutate(edit, { onSuccess: onClose })}
          onClose={onClose}
        >
          <p>From the next call on, it no longer applies.</p>
        </FormDialog>
      )}
    </DialogButton>
  );
};

const columnsOfPrefixes: Column<Prefix & OfList>[] = [
  { heading: 'Prefix', cell: ({ prefix }) => <code>{prefix}</code> },
  {
    heading: 'Reason',
    isLong: true,
    cell: ({ reason }) => (reason ? <bdi>{reason}</bdi> : <span className="faint">None given</span>),
  },
  {
    heading: 'Change',
    isHidden: true,
    cell: ({ agentId, ...former }) => (
      <div className="buttons">
        <DialogButton label="Change" fullLabel={`Change ${former.prefix}`} className="quiet small">
          {(onClose) => <PrefixDialog agentId={agentId} former={former} onClose={onClose} />}
        </DialogButton>
        <RemoveRule
          agentId={agentId}
          what={former.prefix}
          edit={({ prefixes, allow }) => ({
            allow,
            prefixes: prefixes.filter(({ prefix }) => prefix !== former.prefix),
          })}
        />
      </div>
    ),
  },
];

const columnsOfAllowed: Column<{ number: string } & OfList>[] = [
  {
    heading: 'Number',
    cell: ({ number, agentId }) => (
      <Link view="numbers" filters={{ number, agentId }}>
        {formatPhone(number)}
      </Link>
    ),
  },
  {
    heading: 'Change',
    isHidden: true,
    cell: ({ number, agentId }) => (
      <RemoveRule
        agentId={agentId}
        what={number}
        edit={({ prefixes, allow }) => ({ prefixes, allow: allow.filter((one) => one !== number) })}
      />
    ),
  },
];
