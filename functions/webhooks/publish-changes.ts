import pMap from 'p-map';
import type { ListChange, ReadNumber } from '../changes/block-list-changes.ts';
import { decodeChangeTime } from '../changes/change-log.ts';
import { derivedIdentifier } from '../domain/identifiers.ts';
import { describeError, log } from '../log.ts';
import type { BlockListOwner, EventSubject } from '../store/keys.ts';
import type { TableChange } from '../store/table-changes.ts';
import { type ChangeEffects, interpretChange, type ListEvent, type ListedNumber } from './changes.ts';
import { outgoing, type PublishServices, publishAll, publishListEvent, Subscribers } from './publish.ts';

const concurrency = 16;
/** The number of changes whose events are written together. Small batches leave little to repeat when time runs out. */
const changesPerStep = 100;

/** A change and its effects. */
type ReadChange = { change: TableChange; effects: ChangeEffects };

/**
 * Sends the events of changes of the table until a time (Unix milliseconds), and returns the first change that failed. A
 * batch may be delivered again, as a whole or in part. The same change makes the same event, whose deliveries are
 * written once.
 */
export const publishChanges = async (
  changes: TableChange[],
  listChanges: ListChange[],
  services: PublishServices,
  { until }: { until: number },
): Promise<TableChange | undefined> => {
  const read = changes.map((change) => ({ change, effects: interpretChange(change) }));
  const subjects = [...read.flatMap(({ effects }) => listSubjects(effects)), ...listChanges.map(({ list }) => list)];
  const recipients = read.flatMap(({ effects: { events = [] } }) => events.flatMap((event) => event.recipients ?? []));
  const subscribers = await Subscribers.load(subjects, recipients, services);
  const failures = new Failures();
  let begun = 0;
  for (; begun < read.length && failures.isEmpty && Date.now() < until; begun += changesPerStep) {
    await publishStep(read.slice(begun, begun + changesPerStep), subscribers, services, until, failures);
  }
  const published = read.slice(0, begun);
  const erased = new Set(
    published.flatMap(({ effects }) => (effects.erased ? [listedNumberName(effects.erased)] : [])),
  );
  const isKept = (list: BlockListOwner) => (number: string) => !erased.has(listedNumberName({ list, number }));
  const listEvents = [
    ...published.flatMap(({ change, effects: { listEvent } }) =>
      listEvent ? [{ event: listEvent, changes: [change] }] : [],
    ),
    ...listChanges.map((listChange) => ({ event: buildListEvent(listChange), changes: collectChanges(listChange) })),
  ];
  await pMap(
    listEvents,
    ({ event, changes }) => {
      const [added, removed] = [event.added, event.removed].map((some) => some.filter(isKept(event.list)));
      const kept = { ...event, added: added ?? [], removed: removed ?? [] };
      return failures.attempt(changes, () => publishListEvent(kept, subscribers, services, until));
    },
    { concurrency },
  );
  // The numbers that were read earlier have been collected by now. The list of a deleted agent is deleted as a whole.
  await pMap(
    published,
    async ({ change, effects: { erased } }) => {
      if (!erased || subscribers.subjectOwner(erased.list) === undefined) return;
      await failures.attempt([change], () => services.webhookEvents.scrubNumber(erased.list, erased.number));
    },
    { concurrency },
  );
  return changes.find((change, index) => index >= begun || failures.has(change));
};

/** Publishes the events of some changes. */
const publishStep = async (
  read: ReadChange[],
  subscribers: Subscribers,
  services: PublishServices,
  until: number,
  failures: Failures,
): Promise<void> => {
  // Details of events are not kept if their subject was deleted or corrected later.
  const scrubs = new Map<string, { subject: EventSubject; index: number; keepsOwn: boolean }>();
  for (const [index, { effects }] of read.entries()) {
    const subject = effects.deleted ?? effects.corrected;
    if (subject) scrubs.set(JSON.stringify(subject), { subject, index, keepsOwn: !effects.deleted });
  }
  const keepsDetails = (subject: EventSubject, index: number) => {
    const scrub = scrubs.get(JSON.stringify(subject));
    return !scrub || index > scrub.index || (index === scrub.index && scrub.keepsOwn);
  };
  await pMap(
    scrubs.values(),
    ({ subject, index }) =>
      failures.attempt([(read[index] as ReadChange).change], () => services.webhookEvents.scrub(subject)),
    { concurrency },
  );
  const events = read.flatMap(({ change, effects }, index) =>
    (effects.events ?? []).flatMap((event) => {
      const found = outgoing(event, subscribers, keepsDetails(event.subject, index));
      return found && !failures.has(change) ? [{ ...found, change }] : [];
    }),
  );
  if (events.length === 0) return;
  await failures.attempt(
    events.map(({ change }) => change),
    async () => {
      const unpublished = await publishAll(events, until, services);
      failures.add(events.filter((event) => unpublished.has(event)).map(({ change }) => change));
    },
  );
};

/** The changes that failed. */
class Failures {
  readonly #changes = new Set<TableChange>();

  get isEmpty(): boolean {
    return this.#changes.size === 0;
  }

  has(change: TableChange): boolean {
    return this.#changes.has(change);
  }

  add(changes: TableChange[]): void {
    for (const change of changes) this.#changes.add(change);
  }

  /** Runs work for some changes, which fail if it throws. */
  async attempt(changes: TableChange[], work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.add(changes);
      log('error', { job: 'readChanges', cause: describeError(error as Error) });
    }
  }
}

const listedNumberName = ({ list, number }: ListedNumber) => JSON.stringify([list, number]);

const listSubjects = ({ events = [], listEvent, erased }: ChangeEffects) => [
  ...events.map(({ subject }) => subject),
  ...[listEvent, erased].flatMap((change) => (change ? [change.list] : [])),
];

const collectChanges = ({ numbers }: ListChange): TableChange[] => numbers.map(({ change }) => change);

/** Returns the event of an entry of the log of changes, with those of its numbers that were read. */
const buildListEvent = ({ list, owner, entry: { changeId, counts }, numbers }: ListChange): ListEvent => {
  const [{ change }] = numbers as [ReadNumber];
  const those = (kind: ReadNumber['kind']) =>
    numbers.filter((number) => number.kind === kind).map(({ number }) => number);
  return {
    list,
    requestId: change.requestId,
    counts: counts ?? { added: 0, removed: 0 },
    eventId: derivedIdentifier('event', ['block list', owner, changeId]),
    timestamp: new Date(decodeChangeTime(changeId)).toISOString(),
    added: those('added'),
    removed: those('removed'),
  };
};
