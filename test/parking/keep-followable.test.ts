import type { DynamoDBRecord } from 'aws-lambda';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { keepFollowable } from '../../functions/parking/keep-followable.ts';
import { entityOfKey } from '../../functions/parking/parked-changes.ts';
import {
  blockedNumberKey,
  callKey,
  changedItem,
  consentRecordKey,
  consentsKey,
  erasureKey,
  exportKey,
  type ItemKey,
  importKey,
} from '../../functions/store/keys.ts';
import { toTableChange } from '../../functions/store/table-changes.ts';
import { readChange } from '../../functions/stream/follow-changes.ts';
import { newParkingWorld } from '../support/parking.ts';
import { useOwnDatabaseInThisProcess } from '../support/world.ts';

const phone = '+14155550177';
const startedAt = '2026-03-01T10:00:00.000Z';

type Image = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>;
const makeRecord = ({ pk, sk }: ItemKey, images: { NewImage?: Image; OldImage?: Image }): DynamoDBRecord => ({
  dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } }, SequenceNumber: '1', ...images },
});
const keep = (key: ItemKey, images: { NewImage?: Image; OldImage?: Image }, present?: object) =>
  keepFollowable(makeRecord(key, images), changedItem(key), async () => present && { ...key, ...present });

beforeAll(useOwnDatabaseInThisProcess);

it('the change of a deleted call keeps when it was, and nothing of the person', async () => {
  const image = {
    ...{ agentId: { S: 'a' }, callId: { S: 'c' }, startedAt: { S: startedAt }, version: { S: 'v' } },
    ...{
      direction: { S: 'inbound' },
      phone: { S: phone },
      details: { S: `{"note":"${phone}"}` },
      outcome: { S: '{}' },
    },
  };
  const key = callKey('a', 'c');
  const kept = await keep(key, { OldImage: image });
  expect(JSON.stringify(kept)).not.toContain('4155550177');
  const { effects, marks } = readChange(toTableChange(kept as DynamoDBRecord));
  expect(effects.flatMap(({ events = [] }) => events.map(({ type }) => type))).toEqual(['call.deleted']);
  expect(marks).toEqual([{ agentId: 'a', day: '2026-03-01', quarter: 40 }]);
});

it('the change of a call keeps the number that the call still has, and not its former one', async () => {
  const images = { OldImage: { phone: { S: '+14155550100' } }, NewImage: { phone: { S: phone } } };
  const kept = await keep(callKey('a', 'c'), images, { phone });
  expect(kept?.dynamodb).toMatchObject({ OldImage: {}, NewImage: { phone: { S: phone } } });
  expect(JSON.stringify(kept)).not.toContain('4155550100');
});

it('nothing is kept of an erased number; another one stays as it is, also when it has expired', async () => {
  const key = blockedNumberKey({ agentId: 'a' }, phone);
  expect(await keep(key, {}, { erasedAt: startedAt })).toBeUndefined();
  expect(await keep(key, {}, { blockedUntil: 0 })).toEqual(makeRecord(key, {}));
  expect(await keep(key, {})).toEqual(makeRecord(key, {}));
});

it('nothing is kept of an erased consent, and of a kept revocation no proof and no seller', async () => {
  const [consentId, seller, proof] = [{ S: 'c' }, { S: 'Dental' }, { M: { channel: { S: 'web' } } }];
  const images = { NewImage: { consentId, seller, proof } };
  for (const key of [consentRecordKey('u', phone, { at: startedAt, consentId: 'c' }), consentsKey('u', phone)]) {
    expect(await keep(key, images)).toBeUndefined();
    expect(await keep(key, images, { consentId: 'c' })).toEqual(makeRecord(key, images));
    expect(await keep(key, images, { consentId: 'c', erasedAt: startedAt })).toEqual(
      makeRecord(key, { NewImage: { consentId } }),
    );
  }
});

it('nothing is kept of the packed consents of a person', async () => {
  const [key, images] = [consentsKey('u', phone), { NewImage: { entries: { B: 'AAAA' } } }];
  expect((await keep(key, images, { salt: 's' }))?.dynamodb?.NewImage).toEqual({});
});

it('nothing is kept of the first consent of a person, erased while others are there, nor of the change that erased it', async () => {
  const [key, former] = [consentsKey('u', phone), { consentId: { S: 'c' }, proof: { M: {} } }];
  expect(await keep(key, { NewImage: former }, { salt: 's' })).toBeUndefined();
  expect(await keep(key, { OldImage: former, NewImage: {} }, { salt: 's' })).toBeUndefined();
  expect(await keep(key, { OldImage: {}, NewImage: {} }, { salt: 's' })).toEqual(
    makeRecord(key, { OldImage: {}, NewImage: {} }),
  );
});

it('the change of an import keeps the numbers that the import still has, and that of an erasure or an export of a person no number', async () => {
  const image = { addedNumbers: { L: [{ S: phone }, { S: '+14155550100' }] }, removedNumbers: { L: [] } };
  const kept = await keep(importKey('u', 'i'), { NewImage: image }, { addedNumbers: ['+14155550100'] });
  expect(kept?.dynamodb?.NewImage).toEqual({ ...image, addedNumbers: { L: [{ S: '+14155550100' }] } });
  for (const key of [erasureKey('u', 'e'), exportKey('PERSON', 'u', 'p')]) {
    const begun = await keep(key, { NewImage: { number: { S: phone }, status: { S: 'running' } } });
    expect(begun?.dynamodb?.NewImage).toEqual({ status: { S: 'running' } });
  }
});

it('no file has what is deleted before or after its change is parked, and the deletion of an agent ends its parked changes', async () => {
  const { agentId, uid, stores, parked, changes, follow, writeUnreadableCall, stop } = await newParkingWorld();
  onTestFinished(stop);
  const [early, late] = [callKey(agentId, 'early'), callKey(agentId, 'late')];
  await writeUnreadableCall(early, { phone, startedAt });
  await writeUnreadableCall(late, { phone, startedAt });
  const records = await changes();
  await stores.table.delete(early);
  await follow(records);
  const read = async (key: ItemKey) => {
    const [first] = await parked.list(entityOfKey(key));
    return JSON.stringify(first && (await parked.read(first)));
  };
  expect(await read(early)).not.toContain('4155550177');
  expect(await read(late)).toContain('4155550177');
  await stores.table.delete(late);
  await parked.keepAll();
  const [first] = await parked.list(entityOfKey(late));
  // What is in the file, and not only what is read of it.
  await stores.table.put({ ...late, phone } as never);
  expect(JSON.stringify(first && (await parked.read(first)))).not.toContain('4155550177');
  expect((await parked.entities()).size).toBe(2);
  await parked.dropOfUser(`${uid}-other`);
  expect((await parked.entities()).size).toBe(2);
  await parked.dropOfAgent(agentId);
  expect((await parked.entities()).size).toBe(0);
  expect(await parked.list(entityOfKey(late))).toEqual([]);
});
