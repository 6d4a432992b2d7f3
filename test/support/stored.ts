import { inflateRawSync } from 'node:zlib';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { inject } from 'vitest';
import { AwsRequests } from '../../functions/clients/aws-request.ts';
import { environment } from '../../functions/environment.ts';
import type { Item } from '../../functions/store/table.ts';
import { table } from '../../functions/store/table.ts';
import { emulatorHeaders, target } from './world.ts';

/** The keys of all items and files that hold a text anywhere: in a key, an attribute, or the deflated content of an attribute. */
export const findStored = async (text: string): Promise<string[]> => {
  const found: string[] = [];
  const { client, name } = table.get();
  let start: Record<string, unknown> | undefined;
  do {
    const input = { TableName: name, ConsistentRead: true, ...(start && { ExclusiveStartKey: start }) };
    const { Items = [], LastEvaluatedKey } = await client.send(new ScanCommand(input));
    for (const item of Items as Item[]) if (toText(item).includes(text)) found.push(`${item.pk} ${item.sk}`);
    start = LastEvaluatedKey;
  } while (start);
  return [...found, ...(await fileKeys()).filter((key) => key.includes(text))].sort();
};

/** Those of them that are not in another user's log of changes, which outlives what it names. */
export const storedBesideChanges = async (text: string): Promise<string[]> =>
  (await findStored(text)).filter((key) => !key.includes('#CHANGES ') || key.includes(`${text}#CHANGES `));

/** Everything that contains a text: items, files by name and content, and messages of the queue that wait or are in progress. */
export const findEverything = async (text: string): Promise<string[]> => {
  const files: string[] = [];
  for (const key of await fileKeys()) if ((await readContent(key)).includes(text)) files.push(`${key} (content)`);
  return [...(await findStored(text)), ...files, ...(await findMessages(text))];
};

/** The messages of the queue that hold a text: those that wait, are delayed, or are worked on. */
const findMessages = async (text: string): Promise<string[]> => {
  // The emulated deployment cannot show messages without taking them.
  if (inject('deployed')) return [];
  const found = ['jobs', 'dead-letters'].map(async (queue) => {
    const response = await fetch(`${target.endpoints.sqs}/_fauxqs/queues/${queue}`, { headers: emulatorHeaders });
    const { messages } = (await response.json()) as { messages: Record<string, object[]> };
    return Object.values(messages)
      .flat()
      .map((message) => JSON.stringify(message));
  });
  return (await Promise.all(found)).flat().filter((message) => message.includes(text));
};

/** The text of an item, with the deflated content of its attributes. */
export const toText = (value: unknown): string => {
  if (value instanceof Uint8Array) return inflated(value);
  if (value instanceof Set) return [...value].map(toText).join(' ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name} ${toText(one)}`)
    .join(' ');
};

const inflated = (bytes: Uint8Array): string => {
  try {
    return inflateRawSync(bytes).toString();
  } catch {
    return Buffer.from(bytes).toString('latin1');
  }
};

/** Returns the names of files that begin with a prefix. */
export const fileKeys = async (prefix = ''): Promise<string[]> =>
  [
    ...(await fromBucket(`?list-type=2&max-keys=1000&prefix=${encodeURIComponent(prefix)}`)).matchAll(
      /<Key>([^<]*)<\/Key>/g,
    ),
  ].map(([, key]) => key as string);

/** The content of a file; empty when it has been deleted since. */
const readContent = (key: string) => fromBucket(`/${key.split('/').map(encodeURIComponent).join('/')}`);

const fromBucket = async (path: string): Promise<string> => {
  const { endpoint, ...credentials } = environment.s3;
  const url = `${endpoint}/${environment.filesBucket}${path}`;
  const response = await new AwsRequests('s3', credentials).send(url, { method: 'GET' }, AbortSignal.timeout(5000));
  return response.ok ? response.text() : '';
};
