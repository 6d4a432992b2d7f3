import { type AttributeValue, ScanCommand, type ScanCommandInput } from '@aws-sdk/client-dynamodb';
import pMap from 'p-map';
import { chunks } from '../../functions/domain/chunks.ts';
import type { Table } from '../../functions/store/table.ts';

export type StoredItem = Record<string, AttributeValue>;

/** The parts of the table that are read in parallel. */
const segments = 4;

/** Reads all items of a table, at most a hundred at once. */
export const scan = async (
  { client }: Table,
  name: string,
  input: Omit<ScanCommandInput, 'TableName'>,
  take: (items: StoredItem[]) => Promise<void>,
): Promise<void> => {
  await pMap(Array.from({ length: segments }), async (_, segment) => {
    let start: StoredItem | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new ScanCommand({
          TableName: name,
          ConsistentRead: true,
          Segment: segment,
          TotalSegments: segments,
          ...input,
          ExclusiveStartKey: start,
        }),
      );
      for (const items of chunks(Items, 100)) await take(items);
      start = LastEvaluatedKey;
    } while (start);
  });
};
