import pMap from 'p-map';
import { isConsent, type ListChange, locateNumber, type ReadNumber } from '../changes/block-list-changes.ts';
import { decodeChangeTime } from '../changes/change-log.ts';
import { type ChangeForLog, listRecords, logChanges } from '../changes/log-changes.ts';
import { queueSender } from '../clients/job-queue.ts';
import { derivedIdentifier } from '../domain/identifiers.ts';
import { callFigures } from '../figures/call-figures.ts';
import { markDays, type QuarterOfDay } from '../figures/mark-days.ts';
import type { ServicesOf } from '../service.ts';
import type { EventSubject } from '../store/keys.ts';
import { FailedChanges, type TableChange } from '../store/table-changes.ts';
import type { DomainEvent } from '../webhooks/domain-event.ts';
import { publishAll, publishServices, Subscribers, type UnwantedCause } from '../webhooks/publish.ts';
import { decode } from './decode.ts';
import { buildListEvent, type Effects, toEffects } from './events-table.ts';
import { toLogEntries } from './log-table.ts';
import { toMarks } from './marks-table.ts';

/** A change, and all that follows from it. */
export type ReadChange = ChangeForLog & { marks: QuarterOfDay[]; effects: Effects[] };

/** What was done about changes. The failed come again. */
export type Followed = {
  failures: FailedChanges;
  /** The number of events that some endpoint gets, and of those that none wants, by cause. */
  events: number;
  unwanted: Partial<Record<UnwantedCause, number>>;
};

/** The services of a function that follows changes. */
export const followServices = {
  ...publishServices,
  callFigures: callFigures.for('mark', 'getMarks'),
  jobQueue: queueSender('countCalls', 'resumeDeliveries'),
};
export type FollowServices = ServicesOf<typeof followServices>;

const concurrency = 16;
/** The changes whose events are written together: a small batch leaves little to repeat. */
const changesPerStep = 500;

export const readChange = (change: TableChange): ReadChange => {
  const decoded = decode(change);
  const changed = decoded.find((what) => what.kind === 'numberChanged' || what.kind === 'consentRecorded');
  return {
    change,
    entries: decoded.flatMap((what) => toLogEntries(what, change)),
    number: changed && locateNumber(changed.number, change),
    marks: decoded.flatMap((what) => toMarks(what, change)),
    effects: decoded.map((what) => toEffects(what, change)),
  };
};

/** Decides whether a change is followed now. Others wait behind parked changes. */
type IsReady = (change: TableChange) => boolean;

/** Logs changes and marks their figures, then sends their events, until a time (Unix milliseconds). Repeating is safe. */
export const followChanges = async (
  given: ReadChange[],
  services: FollowServices,
  { until, ready = () => true }: { until: number; ready?: IsReady | Promise<IsReady> },
): Promise<Followed> => {
  const followed: Followed = { failures: new FailedChanges(), events: 0, unwanted: {} };
  const { failures } = followed;
  // Both take a round trip, side by side.
  const [subscribers, isReady] = await Promise.all([loadSubscribers(given, services), ready]);
  const read = inTurn(
    given.filter(({ change }) => isReady(change)),
    subscribers,
  );
  const [listChanges] = await Promise.all([
    log(read, subscribers, services, until, failures),
    markDays(read, services, failures),
  ]);
  const publish = (events: ChangeEvent[]) => publishEvents(events, subscribers, services, until, followed);
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
  const left = read.slice(begun).map(({ change }) => change);
  failures.add(left, outOfTime());
  await publish(listChanges.map(toChangeEvent));
  await pMap(
    read.slice(0, begun),
    ({ change, effects }) => failures.attempt([change], () => endEffects(change, effects, subscribers, services)),
    { concurrency },
  );
  return followed;
};

/** Returns the changes user by user, those of users with the fewest first: the burst of a user delays its own events alone. */
const inTurn = (read: ReadChange[], subscribers: Subscribers): ReadChange[] => {
  const findUser = ({ effects }: ReadChange) => {
    const subject = effects.flatMap(({ events = [] }) => events)[0]?.subject;
    return subject && subscribers.subjectOwner(subject);
  };
  return [...Map.groupBy(read, findUser).values()].sort((a, b) => a.length - b.length).flat();
};

const outOfTime = () => Object.assign(new Error('The time of the batch was over.'), { name: 'TimeoutError' });

const loadSubscribers = (read: ReadChange[], services: FollowServices): Promise<Subscribers> => {
  const effects = read.flatMap((one) => one.effects);
  const events = effects.flatMap(({ events = [] }) => events);
  const lists = [...read.map(({ number }) => number), ...effects.map(({ erased }) => erased)];
  return Subscribers.load(
    {
      records: read.flatMap(listRecords),
      subjects: [...events.map(({ subject }) => subject), ...lists.flatMap((one) => (one ? [one.list] : []))],
      recipients: events.flatMap(({ recipients = [] }) => recipients),
    },
    services,
  );
};

/** Logs changes, and returns the entries of block lists, which are events. Each consent is one of its own. */
const log = async (
  read: ReadChange[],
  subscribers: Subscribers,
  { changeLog }: FollowServices,
  until: number,
  failures: FailedChanges,
): Promise<ListChange[]> => {
  const logged = read.filter((one) => one.entries.length > 0 || one.number);
  let listChanges: ListChange[] = [];
  await failures.attempt(
    logged.map(({ change }) => change),
    async () => {
      const result = await logChanges(logged, subscribers, changeLog, until);
      failures.add(result.unwritten, outOfTime());
      listChanges = result.listChanges.filter(({ numbers: [first] }) => first && !isConsent(first));
    },
  );
  return listChanges;
};

/** An event, and the changes that make it. */
type ChangeEvent = DomainEvent & { changes: TableChange[] };

/** The last change of a subject whose earlier events lose their details. */
type Scrub = { subject: EventSubject; change: TableChange; index: number };

const findScrubs = (read: ReadChange[]): Map<string, Scrub> =>
  new Map(
    read.flatMap(({ change, effects }, index) =>
      effects.flatMap(({ scrubbed: subject }) =>
        subject ? [[JSON.stringify(subject), { subject, change, index }] as const] : [],
      ),
    ),
  );

const listEvents = (read: ReadChange[], scrubs: Map<string, Scrub>): ChangeEvent[] =>
  read.flatMap(({ change, effects }, index) =>
    effects
      .flatMap(({ events = [] }) => events)
      .map((event) => {
        const isScrubbed = index < (scrubs.get(JSON.stringify(event.subject))?.index ?? 0);
        return { ...event, changes: [change], ...(isScrubbed && { details: {}, numbers: undefined }) };
      }),
  );

const publishEvents = async (
  found: ChangeEvent[],
  subscribers: Subscribers,
  services: FollowServices,
  until: number,
  followed: Followed,
): Promise<void> => {
  const { failures, unwanted } = followed;
  const wanted = found.flatMap((event) => {
    const addressed = subscribers.address(event);
    if (typeof addressed !== 'string') return [addressed];
    unwanted[addressed] = (unwanted[addressed] ?? 0) + 1;
    return [];
  });
  const sent = wanted.filter(({ changes }) => !changes.some((change) => failures.has(change)));
  if (sent.length === 0) return;
  followed.events += sent.length;
  await failures.attempt(
    sent.flatMap(({ changes }) => changes),
    async () => {
      const unpublished = await publishAll(sent, until, services);
      for (const { changes } of unpublished) failures.add(changes, outOfTime());
    },
  );
};

/** Does what follows the events of a change. */
const endEffects = async (
  { requestId }: TableChange,
  effects: Effects[],
  subscribers: Subscribers,
  { webhookEvents, jobQueue }: FollowServices,
): Promise<void> => {
  for (const { erased, resumed = [] } of effects) {
    // The list of a deleted agent is deleted as a whole.
    if (erased && subscribers.subjectOwner(erased.list) !== undefined)
      await webhookEvents.scrubNumber(erased.list, erased.number);
    for (const endpoint of resumed) await jobQueue.send({ job: 'resumeDeliveries', ...endpoint, requestId });
  }
};

/** Returns the event of an entry of the log, with its numbers that were read. */
const toChangeEvent = ({ list, owner, entry: { changeId, counts = {} }, numbers }: ListChange): ChangeEvent => {
  const { added = 0, removed = 0 } = counts;
  const changes = numbers.map(({ change }) => change);
  const those = (kind: ReadNumber['kind']) =>
    numbers.filter((number) => number.kind === kind).map(({ number }) => number);
  const event = {
    eventId: derivedIdentifier('event', ['block list', owner, changeId]),
    timestamp: new Date(decodeChangeTime(changeId)).toISOString(),
    requestId: changes[0]?.requestId,
  };
  const read = { counts: { added, removed }, added: those('added'), removed: those('removed') };
  return { ...buildListEvent(list, read, event), changes };
};
