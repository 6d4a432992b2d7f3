import { idempotencyCollections } from '../../functions/store/keys.ts';
import { type Item, table } from '../../functions/store/table.ts';

/** Returns the stored response of a user's only request for an operation with an Idempotency-Key. */
export const keptRequest = async (uid: string, operation: string): Promise<Item> => {
  for (const shard of idempotencyCollections(uid)) {
    for await (const item of table.get().query(shard)) if (item.sk.startsWith(`${operation} `)) return item;
  }
  throw new Error(`Nothing is kept of a request for ${operation}.`);
};
