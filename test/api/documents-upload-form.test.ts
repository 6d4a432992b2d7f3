import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { type Listed, list, named, program, sendForm, settled } from '../support/uploads.ts';
import { newWorld, type World } from '../support/world.ts';

const hashMd5 = (text: string) => createHash('md5').update(text).digest('hex');

const requestForms = (world: World, announced: object[]) =>
  world.call('POST', '/agent-documents/uploads', {
    body: { uid: world.uid, agentId: world.agentId, files: announced },
  });

it('an upload form accepts a file that is too large for a request, and its text is extracted automatically', {
  tags: 'heavy',
}, async () => {
  const largest = await requestForms(await newWorld(), [{ name: 'largest.txt', size: 10_485_760, type: 'text/plain' }]);
  expect([largest.status, largest.body.uploads.length]).toEqual([200, 1]);
  const world = await newWorld();
  const bytes = 5 * 1024 * 1024;
  const answer = await requestForms(world, [{ name: 'book.txt', size: bytes, type: 'text/plain' }]);
  expect(answer.status, answer.text).toBe(200);
  const [form] = answer.body.uploads;
  const policy = JSON.parse(Buffer.from(form.fields.policy, 'base64').toString());
  expect(policy.conditions).toContainEqual(['content-length-range', 1, bytes]);
  expect(Date.parse(policy.expiration) - Date.now()).toBeGreaterThan(14 * 60_000);
  expect(Date.parse(policy.expiration) - Date.now()).toBeLessThanOrEqual(15 * 60_000);
  const [waiting] = (await list(world)).documents;
  expect(waiting).toMatchObject({ id: form.documentId, name: 'book.txt', status: 'pending', size: bytes });
  expect(waiting).not.toHaveProperty('fileUrl');
  expect(waiting).not.toHaveProperty('md5');

  const paragraph = `${'All work and no play makes for a long text. '.repeat(20).trim()}\n\n`;
  const text = paragraph.repeat(Math.ceil(bytes / paragraph.length)).slice(0, bytes);
  await sendForm(form, text);
  const [book] = await settled(world);
  expect(book).toMatchObject({ status: 'ready', type: 'txt', size: bytes, truncated: true, md5: hashMd5(text) });
  expect(book.content.length).toBeLessThanOrEqual(1_000_000);
  expect(text.startsWith(book.content)).toBe(true);

  const whole = { content: '', contentMD: '' };
  let cursor: string | undefined;
  do {
    const query = { ...named(world, form.documentId), ...(cursor && { cursor }) };
    const piece = await world.call('GET', '/agent-documents/content', { query });
    expect([piece.status, piece.text.length < 6 * 1024 * 1024]).toEqual([200, true]);
    whole.content += piece.body.content;
    whole.contentMD += piece.body.contentMD;
    cursor = piece.body.nextCursor;
  } while (cursor);
  expect([whole.content === text, whole.contentMD === text]).toEqual([true, true]);
});

it('files announced as too large, empty, nameless or of an unsupported kind get no upload form; the others do', async () => {
  const world = await newWorld();
  const { body } = await requestForms(world, [
    { name: 'a.pdf', size: 10_485_761 },
    { name: 'b.pdf', size: 0 },
    { name: '', size: 1 },
    { name: 'c.png', size: 1, type: 'image/png' },
    { name: 'd.pdf', size: 1, type: 'application/octet-stream' },
  ]);
  expect(body.failed.map(({ code }: Listed) => code)).toEqual([
    'file_too_large',
    'empty_file',
    'invalid_request',
    'unsupported_file_type',
  ]);
  expect(body.uploads.map(({ name }: Listed) => name)).toEqual(['d.pdf']);
  const eleven = await requestForms(
    world,
    Array.from({ length: 11 }, () => ({ name: 'a', size: 1 })),
  );
  expect([eleven.status, eleven.body.error]).toEqual([400, 'too_many_files']);
  const none = await requestForms(world, [{ name: 'a.pdf', size: 10_485_761 }]);
  expect([none.status, none.body.error]).toEqual([400, 'file_too_large']);
});

it('a file that came by an upload form is checked: too large, of another kind', { tags: 'local-only' }, async () => {
  const world = await newWorld();
  const { body } = await requestForms(world, [
    { name: 'a.txt', size: 1 },
    { name: 'b.pdf', size: 1 },
  ]);
  await sendForm(body.uploads[0], 'x'.repeat(10_485_761));
  await sendForm(body.uploads[1], program);
  const found = await settled(world);
  expect(found.map(({ status, error }) => [status, error])).toEqual([
    ['failed', 'The file is larger than 10 MB (10,485,760 bytes).'],
    ['failed', expect.stringMatching(/^The file is not a PDF/)],
  ]);
});

it('an upload form is for one file: a second one changes neither the text nor the file of the document', async () => {
  const world = await newWorld();
  const { body } = await requestForms(world, [{ name: 'a.txt', size: 6 }]);
  await sendForm(body.uploads[0], 'First');
  const [first] = await settled(world, ([one]) => one?.status === 'ready');
  await sendForm(body.uploads[0], 'Second');
  // Messages are handled in turn: the file of another form is read after the second file of this one was refused.
  const another = (await requestForms(world, [{ name: 'b.txt', size: 5 }])).body.uploads[0];
  await sendForm(another, 'Third');
  const found = await settled(world, (all) => all.every(({ status }) => status === 'ready'));
  const [still] = found.filter(({ id }) => id === first?.id);
  expect(still).toMatchObject({ content: 'First', size: 5, lastUpdatedAt: first?.lastUpdatedAt });
  expect(await (await fetch(still?.fileUrl ?? '')).text()).toBe('First');
});
