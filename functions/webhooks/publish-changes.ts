import pMap from 'p-map';
import type { ListChange, ReadNumber } from '../changes/block-list-changes.ts';
import { decodeChangeTime } from '../changes/change-log.ts';
import { logChanges } from '../changes/log-changes.ts';
import { derivedIdentifier } from '../domain/identifiers.ts';
import type { EventSubject } from '../store/keys.ts';
import { reportFailure, type TableChange } from '../store/table-changes.ts';
import { buildListEvent, type ChangeEffects, type DomainEvent, type ReadChange, readChange } from './changes.ts';
import { type PublishServices, publishAll, Subscribers } from './publish.ts';

const concurrency = 16;
/** The changes whose events are written together: a small batch leaves little to repeat. */
const changesPerStep = 100;

/**
 * Logs changes and sends their events, until a time (Unix milliseconds). Returns the first that failed. Repeating is
 * safe.
 */
export const publishChanges = async (
  changes: TableChange[],
  services: PublishServices,
  { until }: { until: number },
): Promise<TableChange | undefined> => {
  const read = changes.map(readChange);
  const subscribers = await Subscribers.load(read, services);
  const { listChanges, unwritten } = await logChanges(read, subscribers, services.changeLog, until);
  const failures = new Failures();
  const publish = (events: ChangeEvent[]) => publishEvents(events, subscribers, services, until, failures);
  let begun = 0;
  for (; begun < read.length && failures.size === 0 && Date.now() < until; begun += changesPerStep) {
    const step = read.slice(begun, begun + changesPerStep);
    const scrubs = findScrubs(step);
    await pMap(
      scrubs.values(),
      ({ subject, change }) => failures.attempt([change], () => services.webhookEvents.scrub(subject)),
      { concurrency },
    );
    await publish(listEvents(step, scrubs));
  }
  await publish(listChanges.map(toChangeEvent));
  await pMap(
    read.slice(0, begun),
    ({ change, effects }) => failures.attempt([change], () => endEffects(change, effects, subscribers, services)),
    { concurrency },
  );
  return changes.find((change, index) => index >= begun || failures.has(change) || unwritten.includes(change));
};

/** An event, and the changes that make it. */
type ChangeEvent = DomainEvent & { changes: TableChange[] };

/** The last change of a subject whose earlier events lose their details. */
type Scrub = { subject: EventSubject; change: TableChange; index: number };

const findScrubs = (read: ReadChange[]): Map<string, Scrub> =>
  new Map(
    read.flatMap(({ change, effects: { scrubbed: subject } }, index) =>
      subject ? [[JSON.stringify(subject), { subject, change, index }]] : [],
    ),
  );

const listEvents = (read: ReadChange[], scrubs: Map<string, Scrub>): ChangeEvent[] =>
  read.flatMap(({ change, effects: { events = [] } }, index) =>
    events.map((event) => {
      const isScrubbed = index < (scrubs.get(JSON.stringify(event.subject))?.index ?? 0);
      return { ...event, changes: [change], ...(isScrubbed && { details: {}, numbers: undefined }) };
    }),
  );

const publishEvents = async (
  found: ChangeEvent[],
  subscribers: Subscribers,
  services: PublishServices,
  until: number,
  failures: Failures,
): Promise<void> => {
  const events = found.flatMap((event) => subscribers.address(event) ?? []);
  const sent = events.filter(({ changes }) => !changes.some((change) => failures.has(change)));
  if (sent.length === 0) return;
  await failures.attempt(
    sent.flatMap(({ changes }) => changes),
    async () => {
      const unpublished = await publishAll(await services.deletedCalls.addRequests(sent), until, services);
      for (const { changes } of unpublished) for (const change of changes) failures.add(change);
    },
  );
};

/** Does what follows the events of a change. */
const endEffects = async (
  { requestId }: TableChange,
  { erased, resumed = [] }: ChangeEffects,
  subscribers: Subscribers,
  { webhookEvents, jobQueue }: PublishServices,
): Promise<void> => {
  // The list of a deleted agent is deleted as a whole.
  if (erased && subscribers.subjectOwner(erased.list) !== undefined)
    await webhookEvents.scrubNumber(erased.list, erased.number);
  for (const endpoint of resumed) await jobQueue.send({ job: 'resumeDeliveries', ...endpoint, requestId });
};

/** The changes that failed. */
class Failures extends Set<TableChange> {
  /** Runs work for some changes, which fail if it throws. */
  async attempt(changes: TableChange[], work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      for (const change of changes) this.add(change);
      reportFailure(changes, error as Error);
    }
  }
}

/** Returns the event of an entry of the log, with its numbers that were read. */
const toChangeEvent = ({ list, owner, entry: { changeId, counts }, numbers }: ListChange): ChangeEvent => {
  const changes = numbers.map(({ change }) => change);
  const those = (kind: ReadNumber['kind']) =>
    numbers.filter((number) => number.kind === kind).map(({ number }) => number);
  const event = {
    eventId: derivedIdentifier('event', ['block list', owner, changeId]),
    timestamp: new Date(decodeChangeTime(changeId)).toISOString(),
    requestId: changes[0]?.requestId,
  };
  const read = { counts: counts ?? { added: 0, removed: 0 }, added: those('added'), removed: those('removed') };
  return { ...buildListEvent(list, read, event), changes };
};
