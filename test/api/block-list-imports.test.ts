import { expect, it } from 'vitest';
import { blockListImports } from '../../functions/block-list-import/block-list-imports.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { agentSharing } from '../../functions/store/agents/agent-sharing.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { itemsOfUser } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { users } from '../../functions/store/users.ts';
import { until } from '../support/until.ts';
import { sendForm } from '../support/uploads.ts';
import { newUser, newWorld, type World } from '../support/world.ts';

const create = (world: Pick<World, 'call' | 'uid'>, body: object = {}) =>
  world.call('POST', '/block-list-imports', { body: { uid: world.uid, size: 1000, ...body } });

const find = async (world: World, importId: string) =>
  (await world.call('GET', `/block-list-imports/${importId}`, { query: { uid: world.uid } })).body;

/** The import once it has ended. */
const ended = async (world: World, importId: string) =>
  until(async () => {
    const found = await find(world, importId);
    expect(found.added + found.alreadyBlocked + found.failed).toBe(found.lines);
    return isEnded(found) && found;
  });

const isEnded = ({ status }: { status: string }) => status === 'done' || status === 'failed';

const importFile = async (world: World, content: string | Uint8Array, body: object = {}) => {
  const answer = await create(world, { size: Math.max(1, Buffer.byteLength(content)), ...body });
  expect(answer.status, answer.text).toBe(200);
  await sendForm(answer.body, content);
  return ended(world, answer.body.importId);
};

const userList = async (world: World) =>
  (await world.call('GET', '/block-list', { query: { uid: world.uid } })).body.entries;

it('a file that is larger than announced is not imported', { tags: 'local-only' }, async () => {
  const world = await newWorld();
  expect(await importFile(world, '+14155550101\n+14155550102\n', { size: 13 })).toMatchObject({
    ...{ status: 'failed', added: 0 },
    error: 'The file is larger than the 13 bytes that were announced.',
  });
  expect(await userList(world)).toEqual([]);
});

it('imports into a block list add the numbers of a CSV file to the list of the user, and count every line', async () => {
  const world = await newWorld();
  await world.call('POST', '/block-list', { body: { uid: world.uid, numbers: ['+14155550103'], reason: 'Before' } });
  const answer = await create(world, { reason: 'Imported' });
  expect(answer.body).toMatchObject({ importId: expect.stringMatching(/^import_/), status: 'awaiting_upload' });
  const policy = JSON.parse(Buffer.from(answer.body.fields.policy, 'base64').toString());
  expect(policy.conditions).toContainEqual(['content-length-range', 1, 1000]);
  expect(Date.parse(policy.expiration) - Date.now()).toBeGreaterThan(14 * 60_000);
  expect(await find(world, answer.body.importId)).toMatchObject({ status: 'awaiting_upload', mode: 'add', lines: 0 });
  const csv = [
    '\ufeffnumber,reason,expiresAt',
    '+1 (415) 555-0101,Do not call,2099-01-31T12:00:00+01:00',
    '+14155550102,,',
    '',
    '+14155550103,After,',
    '+1-415-555-0102,again,',
    '12345,bad,',
    '+14155550104,x,2020-01-01T00:00:00Z',
    '+14155550105,x,tomorrow',
  ].join('\r\n');
  const windows1252 = Buffer.from('\r\n+49\xa0151,x,\r\n+14155550106,sch\xf6n,', 'latin1');
  await sendForm(answer.body, Buffer.concat([Buffer.from(csv), windows1252]));
  expect(await ended(world, answer.body.importId)).toEqual({
    importId: answer.body.importId,
    status: 'done',
    mode: 'add',
    reason: 'Imported',
    ...{ lines: 9, added: 2, alreadyBlocked: 2, removed: 0, failed: 5 },
    failures: [
      {
        ...{ line: 7, number: '12345', reason: 'Invalid phone number format', code: 'invalid_format' },
        message: 'Add + and the country code at the start: no country is guessed.',
      },
      { line: 8, number: '+14155550104', reason: expect.any(String), code: 'invalid_expires_at' },
      { line: 9, number: '+14155550105', reason: expect.any(String), code: 'invalid_expires_at' },
      { line: 10, number: '+49�151', message: expect.stringContaining('Save the file in UTF-8') },
      { line: 11, number: '+14155550106', message: expect.stringContaining('Save the file in UTF-8') },
    ].map((failure) => expect.objectContaining(failure)),
    createdAt: expect.any(String),
    ...{ keyId: world.keyId, keyName: 'test' },
    finishedAt: expect.any(String),
  });
  const entry = { blockedAt: expect.any(String), keyId: world.keyId, keyName: 'test' };
  expect(await userList(world)).toEqual([
    {
      number: '+14155550101',
      reason: 'Do not call',
      expiresAt: '2099-01-31T11:00:00.000Z',
      ...entry,
    },
    { number: '+14155550102', reason: 'Imported', ...entry },
    { number: '+14155550103', reason: 'Before', ...entry },
  ]);
  // The other list is untouched.
  expect((await world.blockList()).blockList).toEqual([]);
});

it('the list of imports has only those of the user, newest first and page by page, without the lines that failed', async () => {
  const [world, other] = await Promise.all([newWorld(), newWorld()]);
  const ofAgent = await importFile(world, '12345\n+14155550101\n', { agentId: world.agentId, reason: 'Complaint' });
  const ofUser = await importFile(world, '+14155550102\n');
  await importFile(other, '+14155550103\n');
  const list = (query: object) => world.call('GET', '/block-list-imports', { query: { uid: world.uid, ...query } });
  const { failures: _, ...shown } = ofAgent;
  const { failures: __, ...newest } = ofUser;
  expect(shown).toMatchObject({ agentId: world.agentId, reason: 'Complaint', added: 1, failed: 1 });
  expect(newest).not.toHaveProperty('agentId');
  expect((await list({})).body).toEqual({ imports: [newest, shown] });
  const first = (await list({ limit: 1 })).body;
  expect(first).toEqual({ imports: [newest], nextCursor: expect.any(String) });
  expect((await list({ limit: 1, cursor: first.nextCursor })).body).toEqual({ imports: [shown] });
});

it('an import replaces the list of an agent', async () => {
  const world = await newWorld();
  const { agentId } = world;
  await world.block(['+14155550101', '+14155550102']);
  const numbers = Array.from({ length: 150 }, (_, n) => `+1415${5_000_000 + n}`);
  const lines = [...numbers, '+14155550102', ...numbers.slice(0, 100), 'x'];
  expect(await importFile(world, lines.join('\n'), { agentId, mode: 'replace' })).toMatchObject({
    status: 'done',
    ...{ lines: 252, added: 150, alreadyBlocked: 101, removed: 1, failed: 1 },
  });
  expect((await world.blockList()).blockList).toEqual([...numbers, '+14155550102'].toSorted());
});

it('an import of a file that cannot be read fails with a sentence, and changes nothing', async () => {
  const world = await newWorld();
  const failed = await importFile(world, 'phone,reason\n+14155550100,x\n');
  expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('"number"'), lines: 0 });
  expect(await userList(world)).toEqual([]);
  // The list is free for the next import.
  expect(await importFile(world, '+14155550100')).toMatchObject({ status: 'done', added: 1 });
});

it('an import into a block list counts once when its file is uploaded twice', async () => {
  const world = await newWorld();
  const form = (await create(world)).body;
  await sendForm(form, '+14155550100\n+14155550101\n');
  await sendForm(form, '+14155550100\n+14155550101\n');
  expect(await ended(world, form.importId)).toMatchObject({ status: 'done', lines: 2, added: 2 });
  await sendForm(form, '+14155550199\n');
  // The notification of a later file comes after that of this one.
  expect(await importFile(world, '+14155550102\n')).toMatchObject({ status: 'done', added: 1 });
  expect(await find(world, form.importId)).toMatchObject({ status: 'done', lines: 2 });
  expect((await userList(world)).length).toBe(3);
});

it('the form of a guest is of no use once the guest may no longer use the agent', async () => {
  const [world, stranger] = await Promise.all([newWorld(), newWorld()]);
  const { agentId } = world;
  await agentSharing.get().share(agentId, world.uid, stranger.uid);
  const form = (await create(stranger, { agentId })).body;
  await agentSharing.get().revoke(agentId, world.uid, stranger.uid);
  await sendForm(form, '+14155550100');
  expect(await ended(stranger, form.importId)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('no longer'),
  });
  expect((await world.blockList()).blockList).toEqual([]);
});

it('an import is not added for a user who was deleted after the request was authorized', async () => {
  const { uid, keyId } = await newUser();
  await users.get().remove(uid);
  const late = { uid, importId: newIdentifier('import'), keyId, mode: 'add' as const };
  await expect(blockListImports.get().add(late)).rejects.toMatchObject({ code: 'invalid_api_key' });
  expect(await Array.fromAsync(table.get().query(itemsOfUser(uid)))).toEqual([]);
});

it('the form of an import is of no use once its key is revoked', async () => {
  const world = await newWorld();
  const number = '+14155550100';
  await world.call('POST', '/block-list', { body: { uid: world.uid, numbers: [number] } });
  const leaked = await apiKeys.get().create(world.uid, { name: 'leaked' });
  const body = { uid: world.uid, size: 1000, mode: 'replace' };
  const form = (await world.call('POST', '/block-list-imports', { apiKey: leaked.secret, body })).body;
  await apiKeys.get().revoke(world.uid, leaked.keyId);
  await sendForm(form, '+14155550101');
  expect(await ended(world, form.importId)).toMatchObject({
    status: 'failed',
    ...{ added: 0, removed: 0, error: expect.stringContaining('no longer valid') },
  });
  expect(await userList(world)).toMatchObject([{ number }]);
});

it('an import takes at most 64 MB, and is found by its user alone', async () => {
  const [world, stranger] = await Promise.all([newWorld(), newWorld()]);
  const made = await create(world, { size: 67_108_864 });
  expect(made.status).toBe(200);
  const tooLarge = await create(world, { size: 67_108_865 });
  expect([tooLarge.status, tooLarge.body.error]).toEqual([400, 'file_too_large']);
  expect((await find(stranger, made.body.importId)).error).toBe('import_not_found');
});

it('an import reads the columns that it names, and the national numbers of its country, for as long as it says', async () => {
  const world = await newWorld();
  const expiresAt = '2099-01-31T12:00:00.000Z';
  const columns = { number: 'Telefon', reason: 'Grund', expiresAt: 'Bis' };
  const file = ['Kunde;Telefon;Grund;Bis', 'A;030 901820;Ruhe;', 'B;+14155550101;;2098-01-01T00:00:00Z', 'C;12;;'].join(
    '\n',
  );
  const ended = await importFile(world, file, { columns, country: 'DE', expiresAt });
  expect(ended).toMatchObject({ status: 'done', lines: 3, added: 2, failed: 1 });
  expect(ended.failures).toMatchObject([{ line: 4, message: expect.stringMatching(/no number of the country/) }]);
  expect(await userList(world)).toMatchObject([
    { number: '+14155550101', expiresAt: '2098-01-01T00:00:00.000Z' },
    { number: '+4930901820', reason: 'Ruhe', expiresAt },
  ]);
  const missing = await importFile(world, file, { columns: { number: 'Phone' } });
  expect(missing).toMatchObject({ status: 'failed', error: expect.stringContaining('no column "Phone"') });
  const withoutCountry = await importFile(world, 'number\n030 901820\n');
  expect(withoutCountry.failures).toMatchObject([{ line: 2, code: 'invalid_format' }]);
  for (const [country, suggested] of [
    ['germany', 'DE'],
    ['UK', 'GB'],
    ['EL', 'GR'],
    ['fr', 'FR'],
    ['AQ', 'DE'],
  ])
    expect((await create(world, { country })).body.details).toEqual([
      { path: 'country', message: `must be an ISO 3166-1 alpha-2 code, such as ${suggested}` },
    ]);
});
