import { BatchGetItemCommand, BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { chunks } from '../../../functions/domain/chunks.ts';
import { backOff, type Table } from '../../../functions/store/table.ts';
import type { StoredItem } from '../scan.ts';

export const takeKey = ({ pk, sk }: StoredItem) => ({ pk, sk }) as StoredItem;

export const itemName = (item: StoredItem) => JSON.stringify(takeKey(item));

/** Returns the items of a table that have the same keys as `items`, by `nameOf`. */
export const findItems = async (
  { client }: Table,
  name: string,
  items: StoredItem[],
): Promise<Map<string, StoredItem>> => {
  const found = new Map<string, StoredItem>();
  let wanted = items.map(takeKey);
  for (let attempt = 0; wanted.length > 0; attempt++) {
    if (attempt > 0) await backOff(attempt);
    const RequestItems = { [name]: { Keys: wanted, ConsistentRead: true } };
    const { Responses, UnprocessedKeys } = await client.send(new BatchGetItemCommand({ RequestItems }));
    for (const item of Responses?.[name] ?? []) found.set(itemName(item), item);
    wanted = UnprocessedKeys?.[name]?.Keys ?? [];
  }
  return found;
};

export const writeItems = async (
  { client, name }: Table,
  items: StoredItem[],
  requestOf: (item: StoredItem) => WriteRequest,
): Promise<void> => {
  for (const batch of chunks(items.map(requestOf), 25)) {
    let wanted = batch;
    for (let attempt = 0; wanted.length > 0; attempt++) {
      if (attempt > 0) await backOff(attempt);
      const { UnprocessedItems } = await client.send(new BatchWriteItemCommand({ RequestItems: { [name]: wanted } }));
      wanted = UnprocessedItems?.[name] ?? [];
    }
  }
};
