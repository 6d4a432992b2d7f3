import type { Agent } from '../../domain/agents.ts';
import { withoutUndefined } from '../../domain/json.ts';
import { idempotencyClaimSeconds } from '../../domain/timeouts.ts';
import { accessKey } from '../keys.ts';
import { causeAttributes, type Item } from '../table.ts';

/** A deleted agent, and who had access to it. No earlier request or job writes after `quietAt` (Unix milliseconds). */
export type DeletedAgent = { owner: string; guests: string[]; quietAt: number };
export type DeletedItem = Item & {
  agentId: string;
  formerOwner: string;
  formerGuests: Iterable<string>;
  quietAt: number;
};

/** Turns an access item into that of a deleted agent. It moves attributes, which a `Change` cannot. */
export const moveToDeleted = (agentId: string, owner: string) => {
  const cause = Object.entries(withoutUndefined(causeAttributes(accessKey(agentId))));
  const set = cause.map(([name]) => `, ${name} = :${name}`).join('');
  return {
    UpdateExpression: `set formerOwner = uid, formerGuests = if_not_exists(guests, :none), quietAt = :quietAt${set} remove uid, guests, blockOnOutcomes, outcomes, valueCurrency`,
    ConditionExpression: 'uid = :owner',
    ExpressionAttributeValues: {
      ':owner': owner,
      ':none': [],
      ':quietAt': Date.now() + idempotencyClaimSeconds * 1000,
      ...Object.fromEntries(cause.map(([name, value]) => [`:${name}`, value])),
    },
  };
};

/** Returns the access item of an abandoned copy. Another run of the copy may write for `seconds` more. */
export const toDeletedCopy = ({ agentId, uid }: Pick<Agent, 'agentId' | 'uid'>, seconds: number): DeletedItem => ({
  ...accessKey(agentId),
  agentId,
  formerOwner: uid,
  formerGuests: [],
  quietAt: Date.now() + seconds * 1000,
});
