import type { Agent } from '../domain/agents.ts';
import type { BlockedNumber } from '../domain/block-list.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import { service } from '../service.ts';
import { type AgentItem, agentOf, type NumberItem } from '../store/agents.ts';
import { blockedEntryOf } from '../store/block-list/blocked-number.ts';
import { accessOf } from '../store/credentials.ts';
import { accessKey, agentKey, agentNumberKey, blockedNumberKey, type ItemKey } from '../store/keys.ts';
import { type Item, type Table, table } from '../store/table.ts';

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

/** The items that decide on a call, all of whose keys are in the request: they are read together with the API key. */
export const callStartKeys = ({ uid, agentId, other, own }: CallStartReference): ItemKey[] => [
  ...(agentId !== undefined && isIdentifier(agentId) ? [accessKey(agentId)] : []),
  ...(agentId === undefined && own !== undefined ? [agentNumberKey(uid, own)] : []),
  ...(agentId !== undefined && isIdentifier(agentId) && other !== undefined
    ? [blockedNumberKey({ agentId }, other)]
    : []),
  ...(other === undefined ? [] : [blockedNumberKey({ uid }, other)]),
];

/** An agent that a call is for, found by its id or by its number, which the user may use. */
export type LocatedAgent = { agentId: string; owner: string };

/**
 * Finds the agent of a call in the items of `callStartKeys`: `no agent` when no agent of the user has our number,
 * `no access` when the user may not use the agent that is named.
 */
export const locateAgent = (
  { uid, agentId, own }: CallStartReference,
  prefetched: Item[],
): LocatedAgent | 'no agent' | 'no access' => {
  const found = byKey(prefetched);
  if (agentId === undefined) {
    const number = own === undefined ? undefined : (found(agentNumberKey(uid, own)) as NumberItem | undefined);
    return number ? { agentId: number.agentId, owner: uid } : 'no agent';
  }
  const access = accessOf(found(accessKey(agentId)));
  return access?.has(uid) ? { agentId, owner: access.owner } : 'no access';
};

/** Reads what decides on a call. */
class CallStarts {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** The facts of a call, from the items of `callStartKeys` and, where those are not enough, one more read. */
  async read(
    { agentId, owner }: LocatedAgent,
    reference: CallStartReference,
    prefetched: Item[],
    withAgent: boolean,
  ): Promise<CallStartFacts> {
    const { uid, other } = reference;
    const record = agentKey(owner, agentId);
    const lists =
      other === undefined
        ? []
        : [
            {
              scope: 'agent' as const,
              key: blockedNumberKey({ agentId }, other),
              isRead: reference.agentId !== undefined,
            },
            { scope: 'user' as const, key: blockedNumberKey({ uid: owner }, other), isRead: owner === uid },
          ];
    const unread = lists.filter(({ isRead }) => !isRead).map(({ key }) => key);
    if (withAgent || other === undefined) unread.push(record);
    const found = byKey([...prefetched, ...(unread.length === 0 ? [] : await this.#table.getMany(unread))]);
    const [blocked] = lists.flatMap(({ scope, key }) => {
      const entry = blockedEntryOf(found(key));
      return entry ? { scope, entry } : [];
    });
    const agent = found(record) as AgentItem | undefined;
    return { ...(blocked && { blocked }), ...(agent && { agent: agentOf(agent) }) };
  }
}

const byKey = (items: Item[]) => {
  const map = new Map(items.map((item) => [`${item.pk}\n${item.sk}`, item]));
  return ({ pk, sk }: ItemKey) => map.get(`${pk}\n${sk}`);
};

export const callStarts = /* @__PURE__ */ service(() => new CallStarts(table.get()), {
  read: ['dynamodb:BatchGetItem'],
});
