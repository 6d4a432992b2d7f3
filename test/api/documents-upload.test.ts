import { expect, it } from 'vitest';
import { makeDocx, makePdf, sample, scanPdf } from '../support/documents.ts';
import { type File, type Listed, list, program, settled, upload } from '../support/uploads.ts';
import { newWorld } from '../support/world.ts';

it('an upload accepts ten files of every kind, rejects invalid ones by name, and reports the result of each', async () => {
  const world = await newWorld();
  const answer = await upload(world, [
    ['hours.pdf', await makePdf('Open from nine to five')],
    ['prices.docx', await makeDocx('A cut is 20 euros'), 'files[]'],
    ['notes.txt', 'Notes', 'file'],
    ['setup.pdf', program],
    ['readme.md', '# Hello'],
    ['really a pdf.txt', await makePdf('Told by its content')],
    ['scan.pdf', await scanPdf()],
    ['locked.pdf', sample('locked.pdf')],
    ['broken.pdf', '%PDF-1.7 and no more'],
    ['nothing.txt', ''],
  ]);
  expect(answer.status, answer.text).toBe(200);
  const { documentIds, documents, failed, message } = answer.body;
  expect(message).toBe('Files uploaded successfully');
  expect(documents.map(({ documentId }: Listed) => documentId)).toEqual(documentIds);
  expect(failed).toEqual([
    { name: 'setup.pdf', code: 'unsupported_file_type', reason: expect.any(String) },
    { name: 'nothing.txt', code: 'empty_file', reason: 'The file is empty.' },
  ]);
  const found = await settled(world);
  expect(found.map(({ id }) => id)).toEqual(documentIds);
  expect(found.map(({ name, status, type, content, error }) => [name, status, type, content, error])).toEqual([
    ['hours.pdf', 'ready', 'pdf', 'Open from nine to five', undefined],
    ['prices.docx', 'ready', 'docx', 'A cut is 20 euros', undefined],
    ['notes.txt', 'ready', 'txt', 'Notes', undefined],
    ['readme.md', 'ready', 'md', '# Hello', undefined],
    ['really a pdf.txt', 'ready', 'pdf', 'Told by its content', undefined],
    [
      'scan.pdf',
      'failed',
      'pdf',
      '',
      'The document has no text. The page has pictures and no text. Text in pictures is not read.',
    ],
    ['locked.pdf', 'failed', 'pdf', '', expect.stringContaining('password')],
    ['broken.pdf', 'failed', 'pdf', '', expect.stringContaining('damaged')],
  ]);
  const [hours] = found;
  expect(hours).toMatchObject({ agentId: world.agentId, active: true, lastUpdatedBy: world.uid });
  expect(await (await fetch(hours.fileUrl)).text()).toMatch(/^%PDF-/);
});

it('an upload keeps file names as they were sent, also hostile ones', async () => {
  const world = await newWorld();
  const names = [
    'größe 日本 🙂.txt',
    '../../../etc/passwd',
    'C:\\Windows\\a.txt',
    'a;b="c".txt',
    '..',
    'x'.repeat(200),
    'con.txt',
  ];
  const answer = await upload(world, [
    ...names.map((name): File => [name, `I am ${name}`]),
    ['y'.repeat(201), 'Too long'],
  ]);
  expect(answer.body.failed).toEqual([
    { name: 'y'.repeat(201), code: 'invalid_request', reason: 'A file needs a name of 1 to 200 characters.' },
  ]);
  // Browsers and Node send a quotation mark in a name as %22.
  const kept = names.map((name) => name.replaceAll('"', '%22'));
  expect(answer.body.documents.map(({ name }: Listed) => name)).toEqual(kept);
  for (const { name, fileUrl, content } of await settled(world)) {
    expect(content).toBe(`I am ${name.replaceAll('%22', '"')}`);
    expect(await (await fetch(fileUrl)).text()).toBe(content);
  }
});

it('an upload without any valid file is rejected with the code of the first', async () => {
  const world = await newWorld();
  const answer = await upload(world, [
    ['a.exe', program],
    ['b.txt', ''],
  ]);
  expect([answer.status, answer.body.error]).toEqual([400, 'unsupported_file_type']);
  expect(answer.body.details.map(({ path }: Listed) => path)).toEqual(['a.exe', 'b.txt']);
  expect((await list(world)).documents).toEqual([]);
});

it('an upload accepts no eleventh file', async () => {
  const file = (_: unknown, index: number): File => [`${index}.txt`, `Text ${index}`];
  const eleven = await upload(await newWorld(), Array.from({ length: 11 }, file));
  expect([eleven.status, eleven.body.error]).toEqual([400, 'too_many_files']);
});

it.each([
  ['4.5 MB', 4_500_000],
  ['10 MB and a byte', 10_485_761],
])('an upload of %s is 413, and the message names the way for larger files', async (_, bytes) => {
  const world = await newWorld();
  const answer = await upload(world, [['large.txt', 'x'.repeat(bytes)]]);
  expect([answer.status, answer.body]).toEqual([
    413,
    { error: 'payload_too_large', message: expect.stringContaining('POST /agent-documents/uploads') },
  ]);
});

it('an upload rejects other bodies, forms without a file, and malformed ones', async () => {
  const world = await newWorld();
  const none = await upload(world, []);
  expect([none.status, none.body.details]).toEqual([400, [{ path: 'files', message: 'must have at least 1 file' }]]);
  for (const [contentType, body] of [
    ['application/json', JSON.stringify({ uid: world.uid, agentId: world.agentId })],
    ['multipart/form-data', 'no boundary'],
    ['multipart/form-data; boundary=x', '--x\r\ncontent-disposition: form-data; name="uid"\r\n\r\nhalf a fo'],
    ['multipart/form-data; boundary=x', ''],
  ] as const) {
    const answer = await world.call('POST', '/agent-documents', { body, headers: { 'content-type': contentType } });
    expect([answer.status, answer.body.error], contentType).toEqual([400, 'invalid_request']);
  }
});

it('an upload with an Idempotency-Key compares the parts, not the boundary', async () => {
  const world = await newWorld();
  const headers = { 'idempotency-key': 'once' };
  const first = await upload(world, [['a.txt', 'A']], headers);
  const again = await upload(world, [['a.txt', 'A']], headers);
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
  expect(again.body).toEqual(first.body);
  for (const other of [
    ['a.txt', 'B'],
    ['b.txt', 'A'],
  ] as File[]) {
    const answer = await upload(world, [other], headers);
    expect([answer.status, answer.body.error]).toEqual([409, 'idempotency_conflict']);
  }
  expect((await settled(world)).map(({ name }) => name)).toEqual(['a.txt']);
});
