import pMap from 'p-map';
import { describeError, log } from '../log.ts';
import type { TableChange } from '../store/table-changes.ts';
import { type ChangeEffects, interpretChange, type ListedNumber } from './changes.ts';
import { collectNumbers, type ListChange, type PublishServices, publish, Subscribers } from './publish.ts';

const concurrency = 16;

/** A change, and what it causes. */
type ReadChange = { change: TableChange; effects: ChangeEffects };

/**
 * Sends the events of changes of the table, and returns the first change that failed. A batch may come again, as a whole or in
 * part: the same change makes the same event, whose deliveries are written once.
 */
export const publishChanges = async (
  changes: TableChange[],
  services: PublishServices,
): Promise<TableChange | undefined> => {
  const read = changes.map((change) => ({ change, effects: interpretChange(change) }));
  const subjects = read.flatMap(({ effects }) => subjectsOf(effects));
  const recipients = read.flatMap(({ effects: { events = [] } }) => events.flatMap((event) => event.recipients ?? []));
  const subscribers = await Subscribers.load(subjects, recipients, services);
  const failed = new Set<TableChange>();
  const attempt = async (attempted: TableChange[], work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      for (const change of attempted) failed.add(change);
      log('error', { job: 'readChanges', cause: describeError(error as Error) });
    }
  };
  // Changes of one item become events in their order, so that a deletion takes the details of all events before it.
  const byItem = Object.values(Object.groupBy(read, ({ change: { key } }) => `${key.pk}\n${key.sk}`));
  await pMap(
    byItem,
    async (ofItem = []) => {
      for (const { change, effects } of ofItem) {
        await attempt([change], async () => {
          if (effects.corrected) await services.webhookEvents.scrub(effects.corrected);
          for (const event of effects.events ?? []) await publish(event, subscribers, services);
          if (effects.deleted) await services.webhookEvents.scrub(effects.deleted);
        });
      }
    },
    { concurrency },
  );
  const erased = new Set(read.flatMap(({ effects }) => (effects.erased ? [nameOf(effects.erased)] : [])));
  await pMap(
    listChangesIn(read, erased),
    ({ changes, ...change }) => attempt(changes, () => collectNumbers(change, subscribers, services)),
    { concurrency },
  );
  // The numbers that were read before are collected by now. With its agent a list is deleted as a whole.
  await pMap(
    read,
    async ({ change, effects: { erased } }) => {
      if (!erased || subscribers.ownerOf(erased.list) === undefined) return;
      await attempt([change], () => services.webhookEvents.scrubNumber(erased.list, erased.number));
    },
    { concurrency },
  );
  return changes.find((change) => failed.has(change));
};

const nameOf = ({ list, number }: ListedNumber) => JSON.stringify([list, number]);

const subjectsOf = ({ events = [], number, endedImport, erased }: ChangeEffects) => [
  ...events.map(({ subject }) => subject),
  ...[number, endedImport, erased].flatMap((change) => (change ? [change.list] : [])),
];

/** Gathers the numbers of each request, without those that are erased. */
const listChangesIn = (read: ReadChange[], erased: ReadonlySet<string>) => {
  const byRequest = new Map<string, ListChange & { changes: TableChange[] }>();
  for (const { change, effects } of read) {
    const { number, endedImport } = effects;
    const cause = number ?? endedImport;
    if (!cause) continue;
    const name = JSON.stringify([cause.list, cause.by]);
    const found = byRequest.get(name) ?? {
      ...{ list: cause.list, by: cause.by, size: number?.size, added: [], removed: [], changes: [] },
      first: change.sequenceNumber,
      timestamp: new Date(change.at).toISOString(),
    };
    // The first change names the batch, also when its number is erased by the time that the batch comes again.
    found.changes.push(change);
    if (number && !erased.has(nameOf(number))) found[number.kind].push(number.number);
    if (endedImport) found.counted = { added: endedImport.added, removed: endedImport.removed };
    byRequest.set(name, found);
  }
  return [...byRequest.values()].filter(({ added, removed, counted }) => added.length + removed.length > 0 || counted);
};
