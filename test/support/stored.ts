import { inflateRawSync } from 'node:zlib';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { AwsRequests } from '../../functions/clients/aws-request.ts';
import { environment } from '../../functions/environment.ts';
import type { Item } from '../../functions/store/table.ts';
import { table } from '../../functions/store/table.ts';

/** The keys of all items and files that hold a text anywhere: in a key, an attribute, or what an attribute holds deflated. */
export const storedWith = async (text: string): Promise<string[]> => {
  const found: string[] = [];
  const { client, name } = table.get();
  let start: Record<string, unknown> | undefined;
  do {
    const input = { TableName: name, ConsistentRead: true, ...(start && { ExclusiveStartKey: start }) };
    const { Items = [], LastEvaluatedKey } = await client.send(new ScanCommand(input));
    for (const item of Items as Item[]) if (textOf(item).includes(text)) found.push(`${item.pk} ${item.sk}`);
    start = LastEvaluatedKey;
  } while (start);
  return [...found, ...(await fileKeys()).filter((key) => key.includes(text))].sort();
};

const textOf = (value: unknown): string => {
  if (value instanceof Uint8Array) return inflated(value);
  if (value instanceof Set) return [...value].map(textOf).join(' ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name} ${textOf(one)}`)
    .join(' ');
};

const inflated = (bytes: Uint8Array): string => {
  try {
    return inflateRawSync(bytes).toString();
  } catch {
    return Buffer.from(bytes).toString('latin1');
  }
};

const fileKeys = async (): Promise<string[]> => {
  const { endpoint, ...credentials } = environment.s3;
  const requests = new AwsRequests('s3', credentials);
  const url = `${endpoint}/${environment.filesBucket}?list-type=2&max-keys=1000&prefix=`;
  const response = await requests.send(url, { method: 'GET' }, AbortSignal.timeout(5000));
  return [...(await response.text()).matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key as string);
};
