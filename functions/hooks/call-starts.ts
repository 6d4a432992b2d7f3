import type { Agent } from '../domain/agents.ts';
import type { BlockedNumber } from '../domain/block-list.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import { service } from '../service.ts';
import { type AgentItem, agentOf, type NumberItem } from '../store/agents.ts';
import { blockedEntryOf } from '../store/block-list/blocked-number.ts';
import { type Access, accessOf } from '../store/credentials.ts';
import { accessKey, agentKey, agentNumberKey, blockedNumberKey, itemWith } from '../store/keys.ts';
import { type Item, type Lookup, type Table, table } from '../store/table.ts';

/** A call that starts: the user asking, the agent if it is named, and both numbers as far as they are known. */
export type CallStartReference = {
  uid: string;
  agentId: string | undefined;
  /** The other party's number. */
  other: string | undefined;
  /** Our number, by which the user's own agent is found when none is named. */
  own: string | undefined;
};

export type CallStartFacts = {
  /** The entry that blocks the other party: the agent's own before its owner's. */
  blocked?: { scope: 'agent' | 'user'; entry: BlockedNumber };
  /** The agent's record, when it was asked for or the other party's number is unknown. */
  agent?: Agent;
};

/** An agent that a call is for, found by its id or by its number, which the user may use. */
export type LocatedAgent = { agentId: string; owner: string };

/**
 * A call with what its lookup found. `agent` is `none` when no agent of the user has our number, and `forbidden` when the
 * user may not use the agent that is named. `entries` are the items of the other party's number that were read, null where
 * there is none.
 */
export type CallStart = CallStartReference & {
  agent: LocatedAgent | 'none' | 'forbidden';
  entries: { agent?: Item | null; user?: Item | null };
};

/** A call whose agent was found. */
export type LocatedCall = CallStart & { agent: LocatedAgent };

/** Looks up the items that decide on a call, as far as the request names their keys. */
export const callStartLookup = (reference: CallStartReference): Lookup<CallStart> => {
  const { uid, other, own } = reference;
  const agentId = isIdentifier(reference.agentId ?? '') ? reference.agentId : undefined;
  const access = agentId === undefined ? undefined : accessKey(agentId);
  const number = reference.agentId !== undefined || own === undefined ? undefined : agentNumberKey(uid, own);
  const agentEntry = agentId === undefined || other === undefined ? undefined : blockedNumberKey({ agentId }, other);
  const userEntry = other === undefined ? undefined : blockedNumberKey({ uid }, other);
  return {
    keys: [access, number, agentEntry, userEntry].filter((key) => key !== undefined),
    read(items) {
      const agent =
        reference.agentId === undefined
          ? agentWithNumber(uid, itemWith(items, number) as NumberItem | undefined)
          : agentWithAccess(uid, reference.agentId, accessOf(itemWith(items, access)));
      const owner = typeof agent === 'string' ? undefined : agent.owner;
      return {
        ...reference,
        agent,
        entries: {
          ...(agentEntry && { agent: itemWith(items, agentEntry) ?? null }),
          // The list in force is the owner's: a guest's own says nothing about the call.
          ...(userEntry && owner === uid && { user: itemWith(items, userEntry) ?? null }),
        },
      };
    },
  };
};

const agentWithNumber = (uid: string, item: NumberItem | undefined): CallStart['agent'] =>
  item ? { agentId: item.agentId, owner: uid } : 'none';

const agentWithAccess = (uid: string, agentId: string, access: Access | undefined): CallStart['agent'] =>
  access?.has(uid) ? { agentId, owner: access.owner } : 'forbidden';

/** Reads what decides on a call. */
class CallStarts {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** Returns the facts of a call, with one more read where its lookup did not find them all. */
  async read({ agent, other, entries }: LocatedCall, withAgent: boolean): Promise<CallStartFacts> {
    const { agentId, owner } = agent;
    const recordKey = agentKey(owner, agentId);
    const agentEntryKey = other === undefined ? undefined : blockedNumberKey({ agentId }, other);
    const userEntryKey = other === undefined ? undefined : blockedNumberKey({ uid: owner }, other);
    const unread = [
      withAgent || other === undefined ? recordKey : undefined,
      entries.agent === undefined ? agentEntryKey : undefined,
      entries.user === undefined ? userEntryKey : undefined,
    ].filter((key) => key !== undefined);
    const items = unread.length === 0 ? [] : await this.#table.getMany(unread);
    const agentEntry = blockedEntryOf(entries.agent ?? itemWith(items, agentEntryKey));
    const userEntry = blockedEntryOf(entries.user ?? itemWith(items, userEntryKey));
    const record = itemWith(items, recordKey) as AgentItem | undefined;
    return {
      ...(userEntry && { blocked: { scope: 'user', entry: userEntry } }),
      ...(agentEntry && { blocked: { scope: 'agent', entry: agentEntry } }),
      ...(record && { agent: agentOf(record) }),
    };
  }
}

export const callStarts = /* @__PURE__ */ service(() => new CallStarts(table.get()), {
  read: ['dynamodb:BatchGetItem'],
});
