import { isDeepStrictEqual } from 'node:util';
import type { Table } from '../../../functions/store/table.ts';
import { type StoredItem, scan } from '../scan.ts';
import { findItems, itemName, takeKey, writeItems } from './items.ts';
import type { EndedErasure } from './newer-erasures.ts';

/**
 * Writes every item of `from` that differs, and deletes what `from` does not have, except the records of newer erasures.
 * After an interruption, run it again.
 */
export const restoreTable = async (table: Table, from: string, yes: boolean, newer: EndedErasure[]) => {
  const done = { same: 0, written: 0, deleted: 0 };
  const kept = new Set(newer.map(({ name }) => name));
  const withoutKept = (items: StoredItem[]) => items.filter((item) => !kept.has(itemName(item)));
  await scan(table, from, {}, async (all) => {
    const items = withoutKept(all);
    const current = await findItems(table, table.name, items);
    const different = items.filter((item) => !isDeepStrictEqual(item, current.get(itemName(item))));
    if (yes) await writeItems(table, different, (Item) => ({ PutRequest: { Item } }));
    done.same += items.length - different.length;
    done.written += different.length;
  });
  await scan(table, table.name, { ProjectionExpression: 'pk, sk' }, async (all) => {
    const items = withoutKept(all);
    const there = await findItems(table, from, items);
    const surplus = items.filter((item) => !there.has(itemName(item)));
    if (yes) await writeItems(table, surplus, (item) => ({ DeleteRequest: { Key: takeKey(item) } }));
    done.deleted += surplus.length;
  });
  return done;
};
