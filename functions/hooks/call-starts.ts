import { attemptsIn, type CountedAttempts } from '../calling/call-attempts.ts';
import type { Agent } from '../domain/agents.ts';
import type { BlockedNumber } from '../domain/block-list.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import { service } from '../service.ts';
import { type AgentItem, agentOf, type UniqueEntry } from '../store/agents.ts';
import { blockedEntryOf } from '../store/block-list/blocked-number.ts';
import { type Access, accessOf } from '../store/credentials.ts';
import {
  accessKey,
  agentKey,
  agentNumberKey,
  blockedNumberKey,
  callAttemptsKey,
  type ItemKey,
  itemWith,
} from '../store/keys.ts';
import { type Item, type Lookup, type Table, table } from '../store/table.ts';

/** A call that starts: the user asking, the agent if it is named, and both numbers as far as they are known. */
export type CallStartReference = {
  uid: string;
  direction: 'inbound' | 'outbound';
  agentId: string | undefined;
  /** The other party's number. */
  other: string | undefined;
  /** It came without its `+`: it counts only if it is blocked. */
  isGuess: boolean;
  /** Our number, by which the user's own agent is found when none is named. */
  own: string | undefined;
};

export type CallStartFacts = {
  /** The entry that blocks the other party: the agent's own before its owner's. */
  blocked?: { scope: 'agent' | 'user'; entry: BlockedNumber };
  /** The agent's record, when it was asked for or decides: for an outbound call, or an unknown number. */
  agent?: Agent;
  /** The attempts so far, for an outbound call to a known number. */
  attempts?: CountedAttempts;
};

/** An agent that a call is for, found by its id or by its number, which the user may use. */
export type LocatedAgent = { agentId: string; owner: string };

/**
 * A call with what its lookup found. `agent` is `none` when no agent of the user has our number, and `forbidden` when the
 * user may not use the agent that is named. `items` are those that were read, null where there is none: the entries of
 * the other party's number in the block lists, the agent's record, and the attempts to call the number.
 */
export type CallStart = CallStartReference & {
  agent: LocatedAgent | 'none' | 'forbidden';
  items: Partial<Record<ItemName, Item | null>>;
};

/** A call whose agent was found. */
export type LocatedCall = CallStart & { agent: LocatedAgent };

/** Looks up the items that decide on a call, as far as the request names their keys. */
export const callStartLookup = (reference: CallStartReference): Lookup<CallStart> => {
  const { uid, direction, other } = reference;
  const agentId = namedAgent(reference);
  const isOutbound = direction === 'outbound';
  return lookup(reference, {
    ...(other !== undefined && {
      ...(agentId !== undefined && { agentEntry: blockedNumberKey({ agentId }, other) }),
      userEntry: blockedNumberKey({ uid }, other),
    }),
    ...(isOutbound && agentId !== undefined && { record: agentKey(uid, agentId) }),
    ...(isOutbound && agentId !== undefined && other !== undefined && { attempts: callAttemptsKey(agentId, other) }),
  });
};

/** Looks up the agent of a call that needs no decision, with its record if that is asked for. */
export const callEndLookup = (reference: CallStartReference, withRecord: boolean): Lookup<CallStart> => {
  const agentId = namedAgent(reference);
  return lookup(reference, withRecord && agentId !== undefined ? { record: agentKey(reference.uid, agentId) } : {});
};

type ItemName = 'agentEntry' | 'userEntry' | 'record' | 'attempts';

/** The list in force and the record are the owner's: what a guest has under these keys says nothing about the call. */
const ownersItems: ItemName[] = ['userEntry', 'record'];

const lookup = (reference: CallStartReference, keys: Partial<Record<ItemName, ItemKey>>): Lookup<CallStart> => {
  const { uid, own } = reference;
  const agentId = namedAgent(reference);
  const access = agentId === undefined ? undefined : accessKey(agentId);
  const number = reference.agentId !== undefined || own === undefined ? undefined : agentNumberKey(uid, own);
  return {
    keys: [access, number, ...Object.values(keys)].filter((key) => key !== undefined),
    read(items) {
      const agent =
        reference.agentId === undefined
          ? agentWithNumber(uid, itemWith(items, number) as UniqueEntry | undefined)
          : agentWithAccess(uid, reference.agentId, accessOf(itemWith(items, access)));
      const isOwner = typeof agent !== 'string' && agent.owner === uid;
      const usable = (Object.keys(keys) as ItemName[]).filter((name) => isOwner || !ownersItems.includes(name));
      return {
        ...reference,
        agent,
        items: Object.fromEntries(usable.map((name) => [name, itemWith(items, keys[name]) ?? null])),
      };
    },
  };
};

/** The agent that a request names, if its id can be one. */
const namedAgent = ({ agentId }: CallStartReference) => (isIdentifier(agentId ?? '') ? agentId : undefined);

const agentWithNumber = (uid: string, item: UniqueEntry | undefined): CallStart['agent'] =>
  item ? { agentId: item.agentId, owner: uid } : 'none';

const agentWithAccess = (uid: string, agentId: string, access: Access | undefined): CallStart['agent'] =>
  access?.has(uid) ? { agentId, owner: access.owner } : 'forbidden';

/** Reads what decides on a call. */
export class CallStarts {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** Returns the agent of a call, with one more read where its lookup did not find it. */
  async readAgent({ agent: { agentId, owner }, items }: LocatedCall): Promise<Agent | undefined> {
    const key = agentKey(owner, agentId);
    const record = items.record === undefined ? (await this.#table.getMany([key]))[0] : items.record;
    return record ? agentOf(record as AgentItem) : undefined;
  }

  /** Returns the facts of a call, with one more read where its lookup did not find them all. */
  async read({ agent, direction, other, isGuess, items }: LocatedCall, withAgent: boolean): Promise<CallStartFacts> {
    const { agentId, owner } = agent;
    const isOutbound = direction === 'outbound';
    const keys: Partial<Record<ItemName, ItemKey>> = {
      ...((withAgent || isOutbound || isGuess || other === undefined) && { record: agentKey(owner, agentId) }),
      ...(other !== undefined && {
        agentEntry: blockedNumberKey({ agentId }, other),
        userEntry: blockedNumberKey({ uid: owner }, other),
        ...(isOutbound && { attempts: callAttemptsKey(agentId, other) }),
      }),
    };
    const names = Object.keys(keys) as ItemName[];
    const unread = names.flatMap((name) => (items[name] === undefined ? (keys[name] ?? []) : []));
    const read = unread.length === 0 ? [] : await this.#table.getMany(unread);
    const found = (name: ItemName) => items[name] ?? itemWith(read, keys[name]);
    const agentEntry = blockedEntryOf(found('agentEntry'));
    const userEntry = blockedEntryOf(found('userEntry'));
    const record = keys.record && (found('record') as AgentItem | undefined);
    return {
      ...(userEntry && { blocked: { scope: 'user', entry: userEntry } }),
      ...(agentEntry && { blocked: { scope: 'agent', entry: agentEntry } }),
      ...(record && { agent: agentOf(record) }),
      ...(keys.attempts && { attempts: attemptsIn(found('attempts')) }),
    };
  }
}

export const callStarts = /* @__PURE__ */ service(() => new CallStarts(table.get()), {
  read: ['dynamodb:BatchGetItem'],
  readAgent: ['dynamodb:BatchGetItem'],
});
