import { currentMaker, currentRequestId } from '../../cause.ts';
import type { BlockedNumber } from '../../domain/block-list.ts';
import type { StoredMaker } from '../../domain/change-maker.ts';
import { now } from '../../domain/date-time.ts';
import { when } from '../expressions.ts';
import { type BlockListOwner, blockedNumberKey } from '../keys.ts';
import type { Item, Table, TransactionAction } from '../table.ts';

/** The `blockedUntil` of an endless block: the end of the year 9999. */
const never = 253_402_300_799_000;

/**
 * A number, blocked until `blockedUntil` (Unix milliseconds; 0: removed). `addedBy` and `removedBy` tell repetitions.
 */
export type BlockedItem = Item & {
  blockedUntil: number;
  blockedAt: string;
  reason?: string;
  expiresAt?: string;
  addedBy: string;
  removedBy: string;
  requestId?: string;
  /** Who added the entry, or has removed it since. */
  madeBy?: StoredMaker;
  /** The time at which an erasure of the person kept the block. */
  erasedAt?: string;
  ttlSeconds?: number;
};

/** The reason and the end of a block. */
export type BlockTerms = { reason?: string; expiresAt?: string };

/** The attributes that all entries have in common that one request adds. */
export const startAddition = (addedBy: string) => ({
  blockedAt: now(),
  addedBy,
  removedBy: '',
  requestId: currentRequestId(),
  madeBy: currentMaker(),
});

/** Returns the attributes of an entry that a request adds. */
export const toAddedEntry = ({ reason, expiresAt }: BlockTerms, addition: ReturnType<typeof startAddition>) => ({
  ...addition,
  blockedUntil: expiresAt ? Date.parse(expiresAt) : never,
  ...(reason !== undefined && { reason }),
  ...(expiresAt && { expiresAt, ttlSeconds: Math.ceil(Date.parse(expiresAt) / 1000) }),
});

export const isBlocked = ({ blockedUntil }: BlockedItem) => blockedUntil > Date.now();

/** Returns the entry of a number's item, if the number is blocked now. */
export const readBlockedEntry = (item: Item | undefined): BlockedNumber | undefined => {
  const blocked = item as BlockedItem | undefined;
  return blocked && isBlocked(blocked) ? toBlockedNumber(blocked) : undefined;
};

export const toBlockedNumber = (item: BlockedItem): BlockedNumber => ({
  number: item.sk,
  reason: item.reason,
  blockedAt: item.blockedAt,
  expiresAt: item.expiresAt,
  keyId: item.madeBy?.keyId,
  keyName: item.madeBy?.keyName,
});

/** The `addedBy` of a copied entry, which is no change of a list. */
export const copiedBy = 'copy';

/** Returns the request id with its size, for the reader of the stream. */
export const encodeRequest = (request: string, { length }: readonly unknown[]) => `${request}/${length}`;

/** A change of an entry, or a new consent, by a request for at most `size` numbers. */
export type NumberChange = {
  list: BlockListOwner;
  number: string;
  kind: 'added' | 'removed' | 'given' | 'revoked';
  by: string;
  /** Absent when it is not known. */
  size?: number;
};

/** Returns the change of a number by a request. Imports count their own. */
export const readNumberChange = (
  list: BlockListOwner,
  before: Item | undefined,
  after: Item | undefined,
): NumberChange | undefined => {
  const [former, item] = [before as BlockedItem | undefined, after as BlockedItem | undefined];
  if (!item) return undefined;
  const wasAdded = item.addedBy !== former?.addedBy && item.addedBy !== copiedBy && item.blockedUntil > 0;
  const wasRemoved = former !== undefined && item.removedBy !== former.removedBy && item.blockedUntil === 0;
  if (!wasAdded && !wasRemoved) return undefined;
  const by = wasAdded ? item.addedBy : item.removedBy;
  if (isOfImport(by)) return undefined;
  return { list, number: item.sk, kind: wasAdded ? 'added' : 'removed', by, size: decodeSize(by) };
};

/** Returns how many numbers the request has that an encoded id names. */
export const decodeSize = (by: string): number | undefined => {
  const [, size] = /\/(\d+)$/.exec(by) ?? [];
  return size ? Number(size) : undefined;
};

/** Entries of an import have its id, and the line where a step began. */
const isOfImport = (by: string) => by.startsWith('import_');

/** A number to block in a transaction of another store. */
export type Block = { owner: BlockListOwner; phone: string; reason: string };

/** Returns the action that blocks a number. It fails if the number is blocked. */
export const blockAction = (table: Table, { owner, phone, reason }: Block, addedBy: string): TransactionAction => {
  const { removedBy, ...entry } = toAddedEntry({ reason }, startAddition(addedBy));
  return table.updateAction(
    blockedNumberKey(owner, phone),
    { set: { ...entry, expiresAt: null, ttlSeconds: null }, initial: { removedBy } },
    when`attribute_not_exists(pk) or blockedUntil <= ${Date.now()}`,
  );
};

/** Returns the action that fails when a number is not blocked. */
export const blockCheck = (table: Table, { owner, phone }: Block): TransactionAction =>
  table.checkAction(blockedNumberKey(owner, phone), when`blockedUntil > ${Date.now()}`);
