import { randomUUID } from 'node:crypto';
import { type CountedAttempts, readAttempts } from '../calling/call-attempts.ts';
import type { Agent, AgentConfiguration } from '../domain/agents.ts';
import type { Attestation } from '../domain/attestations.ts';
import { type BlockingEntry, decideBlock } from '../domain/block-list-rules.ts';
import type { BudgetMark } from '../domain/budgets.ts';
import type { ConsentEntry } from '../domain/consent-decisions.ts';
import type { OutcomeRules } from '../domain/declared-outcomes.ts';
import { type Disclosure, readDisclosure } from '../domain/disclosures.ts';
import { insufficientPermissions } from '../domain/errors.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import { listForms } from '../domain/number-forms.ts';
import { chooseVersion } from '../domain/traffic.ts';
import { service } from '../service.ts';
import { type AgentItem, toAgent } from '../store/agents/agent-items.ts';
import { AgentTraffic, readShares } from '../store/agents/agent-traffic.ts';
import type { UniqueEntry } from '../store/agents/unique-values.ts';
import { readNumberRules } from '../store/block-list/block-list-rules.ts';
import { readBlockedEntry } from '../store/block-list/blocked-number.ts';
import { type CallTarget, callLookup } from '../store/calls/call-records.ts';
import { readConsents } from '../store/consents/consent-items.ts';
import { type Access, readAccess } from '../store/credentials.ts';
import {
  accessKey,
  agentKey,
  agentNumberKey,
  agentTrafficKey,
  type BlockListOwner,
  blockedNumberKey,
  blockListRulesKey,
  callAttemptsKey,
  consentsKey,
  countKey,
  findItem,
  type ItemKey,
  userKey,
} from '../store/keys.ts';
import { type Item, type Lookup, TableStore, table } from '../store/table.ts';
import type { UserItem } from '../store/users.ts';
import type { CallEnd } from './platforms/platform.ts';

/** A call that starts, with its user, its agent if named, and the known numbers. */
export type CallStartReference = {
  uid: string;
  direction: 'inbound' | 'outbound';
  agentId: string | undefined;
  /** The other party's number. */
  other: string | undefined;
  /** The number came without its `+`, and counts only if blocked. */
  isGuess: boolean;
  /** The call's id, which chooses the version for a withheld number. */
  callId: string | undefined;
  /** Our number. It identifies the user's own agent when the request names none. */
  own: string | undefined;
  /** What the carrier attests of the caller's number, if it is known. */
  attestation?: Attestation;
};

/** What an agent's configuration says about found outcomes. */
export type OutcomeSettings = { outcomeFrom: AgentConfiguration['outcomeFrom']; outcomeRules: OutcomeRules };

/** What an agent says about a call that ended, and the call itself where it was read along. */
export type EndFacts = { settings: OutcomeSettings; erasedAt?: string; rules: EndRules } & Pick<CallTarget, 'lookedUp'>;

/** What an agent says about a call beside its outcome: that it disclosed, and by which consent it was made. */
export type EndRules = Pick<Access, 'consentRule' | 'discloses'> & {
  disclosure?: Disclosure;
  consents: ConsentEntry[];
};

export type CallStartFacts = {
  /** The entry that blocks the other party. */
  blocked?: BlockingEntry;
  /** The number is allowed by a list: its attestation does not matter. */
  isAllowed?: boolean;
  /** The agent in the version that this caller gets. */
  agent: Agent;
  /** What the budget of the owner does to calls, where a guest's key reports one. */
  ownersBudget?: BudgetMark;
  /** The attempts so far, for an outbound call to a known number. */
  attempts?: CountedAttempts;
  /** The consents of the person, for the same. */
  consents?: ConsentEntry[];
};

/** The agent of a call, which the user may use. Its access is known if it was read. */
export type LocatedAgent = { agentId: string; owner: string; access?: Access };

/** A call, the names of the items that were read, and those that exist. `none`: no agent has our number. `forbidden`: the user may not use it. */
export type CallStart = CallStartReference & {
  agent: LocatedAgent | 'none' | 'forbidden';
  read: Set<ItemName>;
  items: Items;
};

/** A call whose agent was found. */
export type LocatedCall = CallStart & { agent: LocatedAgent };

/** Looks up the items that decide on a call, where the request names their keys. */
export const callStartLookup = (reference: CallStartReference): Lookup<CallStart> => {
  return lookup(reference, decisionKeys(reference, reference.uid, namedAgent(reference)));
};

/** Looks up the agent of an event without a decision, and more of its items. */
export const agentLookup = (
  reference: CallStartReference,
  ...more: ('record' | 'sourceCount' | 'consents')[]
): Lookup<CallStart> => {
  const agentId = namedAgent(reference);
  if (agentId === undefined) return lookup(reference, {});
  const { uid, other } = reference;
  const keys = {
    record: agentKey(uid, agentId),
    sourceCount: countKey({ agentId }),
    consents: other === undefined ? undefined : consentsKey(uid, other),
  };
  return lookup(reference, Object.fromEntries(more.map((name) => [name, keys[name]])));
};

/** Returns the items that say what an agent wants of a call that ended. */
export const listEndItems = ({
  direction,
  findings,
  turns,
}: Pick<CallEnd, 'direction' | 'findings' | 'turns'>): ('record' | 'consents')[] => [
  ...(findings || turns ? (['record'] as const) : []),
  ...(direction === 'outbound' ? (['consents'] as const) : []),
];

type EntryName = `${'agent' | 'user'}${'Entry' | 'OtherEntry'}`;
type RulesName = 'agentRules' | 'userRules';
type ItemName = EntryName | RulesName | 'record' | 'traffic' | 'attempts' | 'consents' | 'sourceCount' | 'owner';
type Items = Partial<Record<ItemName, Item>>;

/** The items of the agent's owner. A guest's own do not apply to the call. */
const ownersItems: ItemName[] = ['userEntry', 'userOtherEntry', 'userRules', 'record', 'consents'];

/** Returns the keys of the deciding items, as far as agent and number are known. */
const decisionKeys = (
  { direction, other, isGuess }: CallStartReference,
  uid: string,
  agentId: string | undefined,
): Partial<Record<ItemName, ItemKey>> => ({
  ...(other !== undefined && {
    ...entryKeys('user', { uid }, other),
    consents: direction === 'outbound' ? consentsKey(uid, other) : undefined,
  }),
  ...(agentId !== undefined && {
    record: agentKey(uid, agentId),
    traffic: agentTrafficKey(agentId),
    ...(other !== undefined && {
      ...entryKeys('agent', { agentId }, other),
      // Rules make no number of a guess.
      ...(!isGuess && { agentRules: blockListRulesKey({ agentId }), userRules: blockListRulesKey({ uid }) }),
      attempts: direction === 'outbound' ? callAttemptsKey(agentId, other) : undefined,
    }),
  }),
});

/** Returns the keys of the entries that block the forms of a number. */
const entryKeys = (
  scope: 'agent' | 'user',
  owner: BlockListOwner,
  number: string,
): Partial<Record<ItemName, ItemKey>> => {
  const [form, otherForm] = listForms(number);
  return {
    [`${scope}Entry`]: blockedNumberKey(owner, form),
    [`${scope}OtherEntry`]: otherForm && blockedNumberKey(owner, otherForm),
  };
};

const lookup = (reference: CallStartReference, keys: Partial<Record<ItemName, ItemKey>>): Lookup<CallStart> => {
  const { uid, own } = reference;
  const agentId = namedAgent(reference);
  const access = agentId === undefined ? undefined : accessKey(agentId);
  const number = reference.agentId !== undefined || own === undefined ? undefined : agentNumberKey(uid, own);
  return {
    keys: [access, number, ...Object.values(keys)].filter((key) => key !== undefined),
    isLarge: keys.record !== undefined,
    read(items) {
      const agent =
        reference.agentId === undefined
          ? agentWithNumber(uid, findItem(items, number) as UniqueEntry | undefined)
          : agentWithAccess(uid, reference.agentId, readAccess(findItem(items, access)));
      const isOwner = typeof agent !== 'string' && agent.owner === uid;
      const usable = (Object.keys(keys) as ItemName[]).filter((name) => isOwner || !ownersItems.includes(name));
      return { ...reference, agent, read: new Set(usable), items: findItems(items, keys, usable) };
    },
  };
};

const findItems = (items: Item[], keys: Partial<Record<ItemName, ItemKey>>, names: ItemName[]): Items =>
  Object.fromEntries(names.map((name) => [name, findItem(items, keys[name])]));

/** Returns the agent that a request names, if the id is valid. */
const namedAgent = ({ agentId }: CallStartReference) => (isIdentifier(agentId ?? '') ? agentId : undefined);

const agentWithNumber = (uid: string, item: UniqueEntry | undefined): CallStart['agent'] =>
  item ? { agentId: item.agentId, owner: uid } : 'none';

const agentWithAccess = (uid: string, agentId: string, access: Access | undefined): CallStart['agent'] =>
  access?.has(uid) ? { agentId, owner: access.owner, access } : 'forbidden';

/** Reads the facts that decide on a call. */
export class CallStarts extends TableStore {
  readonly #traffic = new AgentTraffic(this.table);

  /** Returns what counts when a call ends. What the lookup did not read is read together with the call. */
  async readEndFacts(
    { agent, read, items, other }: LocatedCall,
    { callId, end }: { callId: string; end: CallEnd },
  ): Promise<EndFacts> {
    const { agentId, owner } = agent;
    const keys = {
      record: agentKey(owner, agentId),
      consents: other === undefined ? undefined : consentsKey(owner, other),
    };
    const isConcerned = { record: true, consents: !agent.access || agent.access.consentRule !== undefined };
    const unread = listEndItems(end).filter((name) => isConcerned[name] && !read.has(name));
    const unreadKeys = [...unread.map((name) => keys[name]), ...(agent.access ? [] : [accessKey(agentId)])];
    const call = callLookup({ agentId, reference: { callId } });
    const wanted = unreadKeys.filter((key) => key !== undefined);
    const found = wanted.length === 0 ? undefined : await this.table.getMany([...wanted, ...call.keys]);
    const record = (items.record ?? findItem(found ?? [], keys.record)) as AgentItem | undefined;
    const configuration = record && toAgent(record).configuration;
    const access = agent.access ?? readAccess(findItem(found ?? [], accessKey(agentId)));
    const { outcomeRules = {}, erasedAt, consentRule, discloses } = access ?? {};
    const { entries } = readConsents(items.consents ?? findItem(found ?? [], keys.consents));
    return {
      settings: { outcomeFrom: configuration?.outcomeFrom, outcomeRules },
      erasedAt,
      rules: { consentRule, discloses, disclosure: configuration && readDisclosure(configuration), consents: entries },
      lookedUp: found && call.read(call.keys.flatMap((one) => findItem(found, one) ?? [])).lookedUp,
    };
  }

  /** Returns the facts of a call, with one more read for what is missing. */
  async read(call: LocatedCall): Promise<CallStartFacts> {
    const { agent } = call;
    // The key of the owner has its mark.
    const owner = agent.owner === call.uid ? undefined : userKey(agent.owner);
    const keys = { ...decisionKeys(call, agent.owner, agent.agentId), owner };
    const unread = (Object.keys(keys) as ItemName[]).filter((name) => keys[name] && !call.read.has(name));
    const found = unread.length === 0 ? [] : await this.table.getMany(unread.flatMap((name) => keys[name] ?? []));
    const items = { ...call.items, ...findItems(found, keys, unread) };
    const readList = (scope: 'agent' | 'user') => ({
      scope,
      entry: readBlockedEntry(items[`${scope}Entry`]) ?? readBlockedEntry(items[`${scope}OtherEntry`]),
      rules: readNumberRules(items[`${scope}Rules`]),
    });
    const { blocked, isAllowed } =
      call.other === undefined ? {} : decideBlock(call.other, [readList('agent'), readList('user')]);
    const record = items.record as AgentItem | undefined;
    // The agent has since been deleted.
    if (!record) throw insufficientPermissions();
    return {
      blocked,
      isAllowed,
      agent: await this.#serveVersion(callerId(call, blocked !== undefined), record, items.traffic),
      attempts: keys.attempts && readAttempts(items.attempts),
      ownersBudget: (items.owner as UserItem | undefined)?.budgetMark,
      consents: keys.consents && readConsents(items.consents).entries,
    };
  }

  /** Returns the agent in the version that the split chooses, or the newest. */
  async #serveVersion(caller: string, record: AgentItem, traffic: Item | undefined): Promise<Agent> {
    const shares = readShares(traffic);
    const version = chooseVersion(record.agentId, caller, shares);
    const share = shares.find((one) => one.version === version);
    const served = share && (await this.#traffic.serve(record.agentId, share));
    if (!served) return toAgent(record);
    const { createdAt: updatedAt, ...content } = served;
    return { ...toAgent({ ...record, configuration: '{}' }), ...content, updatedAt };
  }
}

/** Returns what chooses a caller's version. An unblocked guess does not count. */
const callerId = ({ other, isGuess, callId }: CallStartReference, isBlocked: boolean): string =>
  (isGuess && !isBlocked ? undefined : other) ?? callId ?? randomUUID();

export const callStarts = /* @__PURE__ */ service(() => new CallStarts(table.get()), {
  read: ['dynamodb:BatchGetItem', 'dynamodb:GetItem'],
  readEndFacts: ['dynamodb:BatchGetItem'],
});
