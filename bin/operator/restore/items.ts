import { BatchGetItemCommand, BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { chunks } from '../../../functions/domain/chunks.ts';
import { repeatRounds } from '../../../functions/store/repeat-rounds.ts';
import type { Table } from '../../../functions/store/table.ts';
import type { StoredItem } from '../scan.ts';

export const takeKey = ({ pk, sk }: StoredItem) => ({ pk, sk }) as StoredItem;

export const itemName = (item: StoredItem) => JSON.stringify(takeKey(item));

/** Returns the items of a table that have the same keys as `items`, by `itemName`. */
export const findItems = async (
  { client }: Table,
  name: string,
  items: StoredItem[],
): Promise<Map<string, StoredItem>> => {
  const found = new Map<string, StoredItem>();
  await repeatRounds(items.map(takeKey), Number.POSITIVE_INFINITY, async (Keys) => {
    const RequestItems = { [name]: { Keys, ConsistentRead: true } };
    const { Responses, UnprocessedKeys } = await client.send(new BatchGetItemCommand({ RequestItems }));
    for (const item of Responses?.[name] ?? []) found.set(itemName(item), item);
    return UnprocessedKeys?.[name]?.Keys ?? [];
  });
  return found;
};

export const writeItems = async (
  { client, name }: Table,
  items: StoredItem[],
  toRequest: (item: StoredItem) => WriteRequest,
): Promise<void> => {
  for (const batch of chunks(items.map(toRequest), 25)) {
    await repeatRounds(batch, Number.POSITIVE_INFINITY, async (wanted) => {
      const { UnprocessedItems } = await client.send(new BatchWriteItemCommand({ RequestItems: { [name]: wanted } }));
      return UnprocessedItems?.[name] ?? [];
    });
  }
};
