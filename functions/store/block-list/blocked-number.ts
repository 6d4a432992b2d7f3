import type { BlockedNumber } from '../../domain/block-list.ts';
import { updateOf } from '../expressions.ts';
import { type BlockListOwner, blockedNumberKey } from '../keys.ts';
import type { Item, TransactionAction } from '../table.ts';

/** The end of a block without an expiry, in milliseconds. */
const forGood = 253_402_300_799_000;

/**
 * A number's item. It is blocked until `blockedUntil` (Unix milliseconds); removing it sets that to 0. `addedBy` and
 * `removedBy` name the last request that did so: a request whose response was lost recognizes its own write by them.
 */
export type BlockedItem = Item & {
  blockedUntil: number;
  blockedAt: string;
  reason?: string;
  expiresAt?: string;
  addedBy: string;
  removedBy: string;
  ttlSeconds?: number;
};

/** Why a number is blocked, and until when. */
export type BlockTerms = { reason?: string | undefined; expiresAt?: string | undefined };

/** The attributes of an entry that a request adds. */
export const entryFor = ({ reason, expiresAt }: BlockTerms, addedBy: string, blockedAt = new Date().toISOString()) => ({
  blockedUntil: expiresAt ? Date.parse(expiresAt) : forGood,
  blockedAt,
  addedBy,
  removedBy: '',
  ...(reason !== undefined && { reason }),
  ...(expiresAt && { expiresAt, ttlSeconds: Math.ceil(Date.parse(expiresAt) / 1000) }),
});

export const isBlocked = ({ blockedUntil }: BlockedItem) => blockedUntil > Date.now();

/** The entry of a number's item, if it is blocked now. */
export const blockedEntryOf = (item: Item | undefined): BlockedNumber | undefined => {
  const blocked = item as BlockedItem | undefined;
  return blocked && blocked.blockedUntil > Date.now() ? entryOf(blocked) : undefined;
};

export const entryOf = (item: BlockedItem): BlockedNumber => ({
  number: item.sk,
  ...(item.reason !== undefined && { reason: item.reason }),
  blockedAt: item.blockedAt,
  ...(item.expiresAt !== undefined && { expiresAt: item.expiresAt }),
});

/** What a copied entry has as `addedBy`: it is part of a new agent, and no change of a list. */
export const copiedBy = 'copy';

/** Names a request in the entries that it changes, with the number of entries that it is about. Readers of changes know by it when a request is complete. */
export const changeOf = (request: string, phones: string[]) => `${request}/${phones.length}`;

/** A change of a number's entry by one request, or one import, which is complete after `size` entries at most. */
export type NumberChange = {
  list: BlockListOwner;
  number: string;
  kind: 'added' | 'removed';
  by: string;
  size?: number;
};

/** What a change of an item did to a number; undefined when it did not block or unblock it by a request or an import. */
export const numberChangeOf = (
  list: BlockListOwner,
  before: Item | undefined,
  after: Item | undefined,
): NumberChange | undefined => {
  const [former, item] = [before as BlockedItem | undefined, after as BlockedItem | undefined];
  if (!item) return undefined;
  const wasAdded = item.addedBy !== former?.addedBy && item.addedBy !== copiedBy && item.blockedUntil > 0;
  const wasRemoved = former !== undefined && item.removedBy !== former.removedBy && item.blockedUntil === 0;
  if (!wasAdded && !wasRemoved) return undefined;
  const name = wasAdded ? item.addedBy : item.removedBy;
  const size = /\/(\d+)$/.exec(name)?.[1];
  return {
    list,
    number: item.sk,
    kind: wasAdded ? 'added' : 'removed',
    // An import names its lines, too.
    by: name.replace(/[/:].*$/, ''),
    ...(size !== undefined && { size: Number(size) }),
  };
};

/** A number that a transaction of another store puts on a list. */
export type Block = { owner: BlockListOwner; phone: string; reason: string };

/** The action of a transaction that blocks a number. It fails, with the item, when the number is blocked already. */
export const blockAction = (tableName: string, block: Block, addedBy: string): TransactionAction => {
  const { removedBy, ...entry } = entryFor({ reason: block.reason }, addedBy);
  return {
    Update: {
      TableName: tableName,
      Key: blockedNumberKey(block.owner, block.phone),
      ...updateOf(
        { set: { ...entry, expiresAt: null, ttlSeconds: null }, initial: { removedBy } },
        { expression: 'attribute_not_exists(pk) or blockedUntil <= :now', values: { now: Date.now() } },
      ),
    },
  };
};

/** The action of a transaction that fails when a number is not blocked. */
export const blockCheck = (tableName: string, { owner, phone }: Block): TransactionAction => ({
  ConditionCheck: {
    TableName: tableName,
    Key: blockedNumberKey(owner, phone),
    ConditionExpression: 'blockedUntil > :now',
    ExpressionAttributeValues: { ':now': Date.now() },
  },
});
