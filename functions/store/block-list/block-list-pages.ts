import { fillPage, fromCursor } from '../../domain/paging.ts';
import { service } from '../../service.ts';
import { type BlockListOwner, blockedNumberCollection, blockListShards } from '../keys.ts';
import { firstPageSize, mergePages } from '../merge-pages.ts';
import { TableStore, table } from '../table.ts';
import { type BlockedItem, isBlocked, toBlockedNumber } from './blocked-number.ts';

/** The numbers on block lists, in order. Bundles that decide on calls do without. */
export class BlockListPages extends TableStore {
  /** Yields the blocked numbers after a given one, sorted as text. */
  async *list(owner: BlockListOwner, options: { after?: string; limit?: number } = {}) {
    const limit = options.limit && firstPageSize(options.limit, blockListShards);
    const shards = Array.from({ length: blockListShards }, (_, shard) =>
      this.table.pages<BlockedItem>(blockedNumberCollection(owner, shard), { ...options, limit }),
    );
    for await (const item of mergePages(shards)) if (isBlocked(item)) yield toBlockedNumber(item);
  }

  /** Returns a page of a list for a response. */
  async page(owner: BlockListOwner, { limit, cursor }: { limit?: number; cursor?: string }) {
    const collection = `block-list:${'agentId' in owner ? owner.agentId : `user:${owner.uid}`}`;
    const after = fromCursor(collection, cursor);
    const { items, ...next } = await fillPage(this.list(owner, { after, limit }), {
      collection,
      limit,
      getPosition: ({ number }) => number,
      // Every number is in the response twice.
      weigh: (entry) => JSON.stringify(entry).length + entry.number.length + 4,
    });
    return { blockList: items.map(({ number }) => number), entries: items, ...next };
  }
}

export const blockListPages = /* @__PURE__ */ service(() => new BlockListPages(table.get()), {
  page: ['dynamodb:Query'],
});
