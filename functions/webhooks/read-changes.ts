import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import pMap from 'p-map';
import { describeError, log } from '../log.ts';
import { lazyServices, permissionsOfServices } from '../service.ts';
import type { ItemKey } from '../store/keys.ts';
import type { Item } from '../store/table.ts';
import { type ListedNumber, type Meaning, meaningOf, type TableChange } from './changes.ts';
import {
  Audience,
  collectNumbers,
  type ListChange,
  type PublishServices,
  publish,
  publishServices,
} from './publish.ts';

/** The function that reads the table's stream: the outbox of webhooks. */
export const readChanges = {
  name: 'readChanges',
  services: publishServices,
  permissions: permissionsOfServices(publishServices),
  timeoutSeconds: 60,
} as const;

const concurrency = 16;

/**
 * Reads changes of the table, and sends the events that they are. A batch may come again, as a whole or in part: the same
 * change makes the same event, whose deliveries are written once.
 */
export const readBatch = async (changes: TableChange[], services: PublishServices): Promise<{ failedAt?: string }> => {
  const read = changes.map((change) => ({ change, meaning: meaningOf(change) }));
  const subjects = read.flatMap(({ meaning }) => subjectsOf(meaning));
  const recipients = read.flatMap(({ meaning }) => meaning.happenings.flatMap((one) => one.recipients ?? []));
  const audience = await Audience.of(subjects, recipients, services);
  const failed = new Set<TableChange>();
  const attempt = async (of: TableChange[], work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      for (const change of of) failed.add(change);
      log('error', { function: readChanges.name, cause: describeError(error as Error) });
    }
  };
  // Changes of one item become events in their order, so that a deletion takes the details of all events before it.
  const ofOneItem = Object.values(Object.groupBy(read, ({ change: { key } }) => `${key.pk}\n${key.sk}`));
  await pMap(
    ofOneItem,
    async (some = []) => {
      for (const { change, meaning } of some) {
        await attempt([change], async () => {
          if (meaning.corrected) await services.webhookEvents.scrub(meaning.corrected);
          for (const happening of meaning.happenings) await publish(happening, audience, services);
          if (meaning.gone) await services.webhookEvents.scrub(meaning.gone);
        });
      }
    },
    { concurrency },
  );
  const erased = new Set(read.flatMap(({ meaning }) => (meaning.erased ? [nameOf(meaning.erased)] : [])));
  await pMap(
    listChangesIn(read, erased),
    ({ of, ...change }) => attempt(of, () => collectNumbers(change, audience, services)),
    {
      concurrency,
    },
  );
  // The numbers that were read before are collected by now. With its agent a list is deleted as a whole.
  await pMap(
    read,
    async ({ change, meaning: { erased } }) => {
      if (!erased || audience.ownerOf(erased.list) === undefined) return;
      await attempt([change], () => services.webhookEvents.scrubNumber(erased.list, erased.number));
    },
    { concurrency },
  );
  const first = changes.find((change) => failed.has(change));
  return first ? { failedAt: first.sequenceNumber } : {};
};

const nameOf = ({ list, number }: ListedNumber) => JSON.stringify([list, number]);

const subjectsOf = ({ happenings, number, import: ended, erased }: Meaning) => [
  ...happenings.map(({ subject }) => subject),
  ...(erased ? [erased.list] : []),
  ...(number ? [number.list] : []),
  ...(ended ? [ended.list] : []),
];

/** The numbers of each request together, without those that are erased. */
const listChangesIn = (read: { change: TableChange; meaning: Meaning }[], erased: ReadonlySet<string>) => {
  const byRequest = new Map<string, ListChange & { of: TableChange[] }>();
  for (const { change, meaning } of read) {
    const { number, import: ended } = meaning;
    const one = number ?? ended;
    if (!one) continue;
    const name = JSON.stringify([one.list, one.by]);
    const found = byRequest.get(name) ?? {
      ...{ list: one.list, by: one.by, size: number?.size, added: [], removed: [], of: [] },
      first: change.sequenceNumber,
      timestamp: new Date(change.at).toISOString(),
    };
    // The first change names the batch, also when its number is erased by the time that the batch comes again.
    found.of.push(change);
    if (number && !erased.has(nameOf(number))) found[number.kind].push(number.number);
    if (ended) found.counted = { added: ended.added, removed: ended.removed };
    byRequest.set(name, found);
  }
  return [...byRequest.values()].filter(({ added, removed, counted }) => added.length + removed.length > 0 || counted);
};

/** A record of the stream as a change. */
export const changeOf = ({ dynamodb = {}, userIdentity }: DynamoDBRecord): TableChange => {
  const { Keys, OldImage, NewImage, SequenceNumber = '', ApproximateCreationDateTime = 0 } = dynamodb;
  const itemOf = (image: object | undefined) => image && (unmarshall(image as Record<string, AttributeValue>) as Item);
  return {
    key: itemOf(Keys) as ItemKey,
    before: itemOf(OldImage),
    after: itemOf(NewImage),
    at: Number(ApproximateCreationDateTime) * 1000,
    sequenceNumber: SequenceNumber,
    isExpiry: (userIdentity as { principalId?: string } | undefined)?.principalId === 'dynamodb.amazonaws.com',
  };
};

/** The Lambda handler of the stream. A batch that fails is delivered again from its first change that failed. */
export const handler = async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  const { failedAt } = await readBatch(Records.map(changeOf), lazyServices(publishServices));
  return { batchItemFailures: failedAt === undefined ? [] : [{ itemIdentifier: failedAt }] };
};
