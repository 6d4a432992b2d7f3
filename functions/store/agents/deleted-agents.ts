import type { Agent } from '../../domain/agents.ts';
import { withoutUndefined } from '../../domain/json.ts';
import { idempotencyClaimSeconds } from '../../domain/timeouts.ts';
import { accessKey } from '../keys.ts';
import { causeAttributes, type Item } from '../table.ts';

/** A deleted agent with its former users. Nothing earlier writes after `quietAt` (Unix milliseconds). */
export type DeletedAgent = { owner: string; guests: string[]; quietAt: number };
export type DeletedItem = Item & {
  agentId: string;
  formerOwner: string;
  formerGuests: Iterable<string>;
  quietAt: number;
};

/** Turns an access item into a deleted agent's. A `Change` cannot move attributes. */
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

/** Returns the access item of an abandoned copy, which may be written for `seconds` more. */
export const toDeletedCopy = ({ agentId, uid }: Pick<Agent, 'agentId' | 'uid'>, seconds: number): DeletedItem => ({
  ...accessKey(agentId),
  agentId,
  formerOwner: uid,
  formerGuests: [],
  quietAt: Date.now() + seconds * 1000,
});
