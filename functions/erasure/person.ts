import { setTimeout as sleep } from 'node:timers/promises';
import { hasText } from '../domain/json.ts';
import { mentionsNumber } from '../domain/phone-numbers.ts';
import type { ServicesOf } from '../service.ts';
import { agents } from '../store/agents.ts';
import { blockList } from '../store/block-list.ts';
import { calls } from '../store/calls.ts';
import { erasures } from '../store/erasures.ts';
import { idempotency } from '../store/idempotency.ts';
import type { BlockListOwner } from '../store/keys.ts';

/** What finds a person in the data of a user. */
export const findServices = {
  agents: agents.for('owned'),
  calls: calls.for('count'),
  blockList: blockList.for('count'),
};

/** What erases a person. */
export const eraseServices = {
  agents: agents.for('owned'),
  calls: calls.for('removeAll'),
  blockList: blockList.for('erase'),
  idempotency: idempotency.for('forget'),
  erasures: erasures.for('start', 'counting', 'finish', 'fail'),
};

/** Counts what a user has of a person: calls of the agents that the user owns, and entries of block lists. */
export const findPerson = async (
  uid: string,
  number: string,
  { agents, calls, blockList }: ServicesOf<typeof findServices>,
): Promise<{ calls: number; blockedNumbers: number }> => {
  const found = { calls: 0, blockedNumbers: await blockList.count([{ uid }], number) };
  for await (const owned of agents.owned(uid)) {
    const agentIds = owned.map(({ agentId }) => agentId);
    found.calls += await calls.count(agentIds, number);
    found.blockedNumbers += await blockList.count(
      agentIds.map((agentId) => ({ agentId })),
      number,
    );
  }
  return found;
};

/** The erasure of a person that has begun. */
type Running = { uid: string; erasureId: string; number: string; blockList: 'keep' | 'remove' };

/**
 * Erases a person from the data of a user, until a time (Unix milliseconds). True when it is done. Every step can be
 * repeated, and counts what it erases in the same transaction.
 */
export const erasePerson = async (
  { uid, erasureId, number, blockList: mode }: Running,
  until: number,
  { agents, calls, blockList, idempotency, erasures }: ServicesOf<typeof eraseServices>,
): Promise<boolean> => {
  const callers = new Set([uid]);
  const eraseEntries = (owners: BlockListOwner[]) =>
    blockList.erase(owners, number, mode, erasures.counting(uid, erasureId, 'blockedNumbers', 1));
  await eraseEntries([{ uid }]);
  for await (const owned of agents.owned(uid)) {
    await eraseEntries(owned.map(({ agentId }) => ({ agentId })));
    for (const { agentId, guests } of owned) {
      if (Date.now() >= until) return false;
      for (const guest of guests) callers.add(guest);
      const alongside = (count: number) => [erasures.counting(uid, erasureId, 'calls', count)];
      if (!(await calls.removeAll(agentId, { phone: number, until, alongside }))) return false;
    }
  }
  // The responses that were kept for those who may have read or changed what is erased now.
  const erasedAt = Date.now();
  const mentionsPerson = (body: unknown) => hasText(body, (text) => mentionsNumber(text, number));
  for (const caller of callers) {
    // A request that was under way meanwhile may have read the person before, and keep its response later.
    while (await idempotency.forget(caller, mentionsPerson, erasedAt)) {
      if (Date.now() >= until) return false;
      await sleep(pollMilliseconds);
    }
  }
  return true;
};

const pollMilliseconds = 500;
