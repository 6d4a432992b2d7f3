import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeStores } from '../../bin/operator/stores.ts';
import { withCause } from '../../functions/cause.ts';
import { ChangeLog } from '../../functions/changes/change-log.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import type { JobMessage } from '../../functions/domain/job-messages.ts';
import { CallFigures } from '../../functions/figures/call-figures.ts';
import { Credentials } from '../../functions/store/credentials.ts';
import { toTableChange } from '../../functions/store/table-changes.ts';
import { followChanges, readChange } from '../../functions/stream/follow-changes.ts';
import { createDeliveries } from '../../functions/webhooks/create-deliveries.ts';
import { WebhookEvents } from '../../functions/webhooks/webhook-events.ts';
import { injectFaultsInto } from '../support/faults.ts';
import { newAgentRecord, newEndpointRecord } from '../support/records.ts';
import { limitCases } from '../support/sample.ts';
import { startTableWithStream } from '../support/table-stream.ts';
import { unique } from '../support/world.ts';

type Message = JobMessage<'createDeliveries' | 'deliverWebhook'>;

let stream: Awaited<ReturnType<typeof startTableWithStream>>;
beforeAll(async () => {
  stream = await startTableWithStream('create-deliveries');
});
afterAll(() => stream.stop());

const startedAt = '2026-03-01T10:00:00.000Z';
const endpoints = 4;

/** A user with endpoints, and the changes of its calls, each with an outcome: two events. */
const newUser = async (calls: number) => {
  const stores = makeStores(stream.open());
  const [uid, agentId] = [unique('user'), newIdentifier('agent')];
  await stores.users.create(uid);
  await stores.agentChanges.create(newAgentRecord(uid, { agentId }));
  for (let n = 0; n < endpoints; n++)
    await stores.webhookEndpoints.add(uid, newEndpointRecord(`https://crm.example.com/${n}`));
  await stream.changesSoFar();
  // As POST /calls records them, in one write.
  const outcome = { custom_call_outcome: 'booked', outcomeUpdatedAt: startedAt };
  const facts = { direction: 'inbound' as const, startedAt, ...outcome };
  for (let n = 0; n < calls; n++) await stores.calls.record(agentId, `call-${n}`, facts);
  const records = await stream.changesSoFar();
  return { uid, stores, records: records.filter(({ dynamodb }) => dynamodb?.Keys?.sk?.S === 'CALL') };
};

/**
 * Reads changes and does the jobs of their messages, as often as it takes. `dies` is asked before and after each request and
 * each message: a process that it ends does nothing more, and another one begins its work again.
 */
const workOff = async (records: DynamoDBRecord[], dies: () => boolean) => {
  const table = stream.open();
  const waiting: JobMessage<'createDeliveries'>[] = [];
  const attempts: JobMessage<'deliverWebhook'>[] = [];
  let isDead = false;
  const isEnded = () => {
    isDead ||= dies();
    return isDead;
  };
  const step = () => {
    if (isEnded()) throw new Error('killed');
  };
  injectFaultsInto(
    table.client,
    () => (isEnded() ? 'kill' : undefined),
    () => step(),
  );
  const sendMany = async (messages: Message[]) => {
    for (const message of messages) {
      step();
      if (message.job === 'createDeliveries') waiting.push(message);
      else attempts.push(message);
      step();
    }
  };
  const services = {
    ...makeStores(table),
    webhookEvents: new WebhookEvents(table),
    changeLog: new ChangeLog(table, 400),
    callFigures: new CallFigures(table),
    credentials: new Credentials(table),
    jobQueue: { send: async () => {} },
    eventQueue: { sendMany },
    deliveryQueue: { sendMany },
  };
  const until = Number.POSITIVE_INFINITY;
  for (let isRead = false; !isRead; ) {
    isDead = false;
    isRead = await followChanges(records.map(toTableChange).map(readChange), services, { until }).then(
      ({ failures }) => failures.size === 0 && !isDead,
      () => false,
    );
  }
  while (waiting.length > 0) {
    isDead = false;
    const [message] = waiting as [JobMessage<'createDeliveries'>];
    const work = () => createDeliveries(message, services, until);
    const isDone = await withCause({ maker: { via: 'job' } }, work).then(
      () => !isDead,
      () => false,
    );
    if (isDone) waiting.shift();
  }
  return attempts;
};

/** Expects one delivery of each event for each endpoint, with its data and an attempt, and no other. */
const expectDeliveries = async (
  { uid, stores }: Awaited<ReturnType<typeof newUser>>,
  calls: number,
  attempts: JobMessage<'deliverWebhook'>[],
) => {
  const items: Awaited<ReturnType<typeof stores.webhookDeliveries.page>>['items'] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor; isFirst = false) {
    const page = await stores.webhookDeliveries.page(uid, { cursor });
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  const about = ({ endpointId, type, ids }: (typeof items)[number]) => `${endpointId} ${type} ${ids.call_id}`;
  expect(new Set(items.map(about)).size).toBe(2 * calls * endpoints);
  const ids = items.map(({ deliveryId }) => deliveryId).sort();
  expect(ids).toHaveLength(2 * calls * endpoints);
  expect([...new Set(attempts.map(({ deliveryId }) => deliveryId))].sort()).toEqual(ids);
  for (const { subject, eventId, sourceId = eventId } of items)
    expect(await stores.webhookEvents.details(subject, sourceId)).toMatchObject({ custom_call_outcome: 'booked' });
};

it('events of one change have their data once, and each has a delivery for each endpoint', async () => {
  const user = await newUser(2);
  const attempts = await workOff(user.records, () => false);
  await expectDeliveries(user, 2, attempts);
  expect(attempts).toHaveLength(2 * 2 * endpoints);
  const { items } = await user.stores.webhookDeliveries.page(user.uid, {});
  expect(new Set(items.map(({ eventId, sourceId = eventId }) => sourceId)).size).toBe(2);
});

it('nothing is written for a user whose endpoints were deleted in the meantime', async () => {
  const user = await newUser(1);
  const { uid, stores } = user;
  for (const { endpointId } of await stores.webhookEndpoints.list(uid))
    await stores.webhookEndpoints.remove(uid, endpointId);
  const events = [
    {
      ...{ eventId: 'event_1', type: 'call.recorded' as const, timestamp: startedAt, subject: { uid }, ids: { uid } },
      endpointIds: ['endpoint_1'],
    },
  ];
  const deliveryQueue = { sendMany: async (messages: object[]) => expect(messages).toEqual([]) };
  const services = { ...stores, deliveryQueue };
  await createDeliveries({ job: 'createDeliveries', uid, events }, services, Number.POSITIVE_INFINITY);
  expect((await stores.webhookDeliveries.page(uid, {})).items).toEqual([]);
});

it('a kill at any step loses and doubles no delivery', { tags: 'heavy', timeout: 600_000 }, async () => {
  // Two messages have the deliveries of so many calls.
  const [calls, kills] = [7, limitCases(100)];
  for (let [at, killed] = [0, 0]; killed < kills; at++) {
    const user = await newUser(calls);
    let step = 0;
    const attempts = await workOff(user.records, () => step++ === at);
    await expectDeliveries(user, calls, attempts);
    // A run that ended before its step was not killed: the next one dies at its first step.
    if (step > at) killed++;
    else at = -1;
  }
});
