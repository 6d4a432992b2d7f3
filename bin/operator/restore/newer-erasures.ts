import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { ErasureRequest } from '../../../functions/erasure/erasures.ts';
import { erasureCollection } from '../../../functions/store/keys.ts';
import type { Table } from '../../../functions/store/table.ts';
import { type StoredItem, scan } from '../scan.ts';
import { findItems, itemName } from './items.ts';

/** An erasure that has ended, by the name of its item. */
export type EndedErasure = Pick<ErasureRequest, 'uid' | 'erasureId' | 'numberHash' | 'blockList'> & {
  requestedAt: string;
  name: string;
};

/** Returns the erasures that are done in the table, but not in `from`. */
export const newerErasures = async (table: Table, from: string): Promise<EndedErasure[]> => {
  const newer: EndedErasure[] = [];
  const isDone = (item: StoredItem | undefined) => item?.status?.S === 'done';
  const input = {
    FilterExpression: 'begins_with(sk, :prefix) and #status = :done',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':prefix': { S: erasureCollection('').prefix }, ':done': { S: 'done' } },
  };
  await scan(table, table.name, input, async (items) => {
    const earlier = await findItems(table, from, items);
    for (const item of items) {
      const name = itemName(item);
      if (!isDone(earlier.get(name))) newer.push({ ...(unmarshall(item) as EndedErasure), name });
    }
  });
  return newer;
};
