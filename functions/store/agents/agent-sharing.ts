import { insufficientPermissions, limitExceeded, noSuchGuest } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { service } from '../../service.ts';
import type { AccessItem } from '../credentials.ts';
import { when } from '../expressions.ts';
import { accessKey, agentKey, formerGuestCollection, formerGuestKey, userKey } from '../keys.ts';
import { type Item, TableStore, table } from '../table.ts';
import { hasOwner } from './agent-access.ts';
import type { SharedAgentItem } from './agents.ts';

type FormerGuestItem = Item & { uid: string; ttlSeconds: number };

/** The guests of agents. Each has an entry that refers to the owner's record. */
export class AgentSharing extends TableStore {
  /** Lets another user use an agent. `isLimited`: it can have a limited number of guests. */
  async share(agentId: string, owner: string, guest: string, { isLimited = true } = {}): Promise<void> {
    if (guest === owner) throw ownerIsNoGuest();
    const shared: SharedAgentItem = { ...agentKey(guest, agentId), agentId, owner };
    const hasRoom = when`attribute_not_exists(guests) or size(guests) < ${limits.guests} or contains(guests, ${guest})`;
    const failed = await this.table.tryTransact<AccessItem>([
      this.table.checkAction(userKey(guest), when`attribute_exists(pk) and attribute_not_exists(deletingAt)`),
      this.table.updateAction(
        accessKey(agentId),
        { add: { guests: new Set([guest]) } },
        isLimited ? when`${hasOwner(owner)} and (${hasRoom})` : hasOwner(owner),
      ),
      this.table.putAction(shared),
    ]);
    if (failed?.has(0)) throw noSuchGuest();
    if (failed?.get(1)?.uid === owner) throw limitExceeded(`An agent can have at most ${limits.guests} guests`);
    if (failed) throw insufficientPermissions();
  }

  /** Ends a guest's access from the next request on. One who stays may keep reports. */
  async revoke(agentId: string, owner: string, guest: string, { stays = true } = {}): Promise<void> {
    if (guest === owner) throw ownerIsNoGuest();
    const failed = await this.table.tryTransact([
      this.table.updateAction(accessKey(agentId), { remove: { guests: new Set([guest]) } }, hasOwner(owner)),
      this.table.deleteAction(agentKey(guest, agentId)),
      stays
        ? this.table.putAction(formerGuestItem(agentId, guest))
        : this.table.deleteAction(formerGuestKey(agentId, guest)),
    ]);
    if (failed) throw insufficientPermissions();
  }

  /** Returns former guests who may still have reports. */
  async formerGuests(agentId: string): Promise<string[]> {
    const items = await Array.fromAsync(this.table.query<FormerGuestItem>(formerGuestCollection(agentId)));
    return items.map(({ uid }) => uid);
  }
}

/** Reports of imports, also those begun before a revocation, are kept for 30 days. */
const formerGuestSeconds = 31 * 24 * 60 * 60;
const formerGuestItem = (agentId: string, uid: string): FormerGuestItem => ({
  ...formerGuestKey(agentId, uid),
  uid,
  ttlSeconds: Math.floor(Date.now() / 1000) + formerGuestSeconds,
});

/** An owner's guest entry would overwrite the agent: the keys are the same. */
const ownerIsNoGuest = () => new Error('The owner of an agent cannot be its guest.');

export const agentSharing = /* @__PURE__ */ service(() => new AgentSharing(table.get()), {
  share: ['dynamodb:ConditionCheckItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
  revoke: ['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
  formerGuests: ['dynamodb:Query'],
});
