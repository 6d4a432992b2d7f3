import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { files } from '../../functions/clients/files.ts';
import { fileKeyOf } from '../../functions/domain/documents.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { fileWaitSeconds, waitingForFile } from '../../functions/domain/source-state.ts';
import { documents } from '../../functions/store/documents.ts';
import { textPiecesOf } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { docxOf, pdfOf, sample, scanPdf } from '../support/documents.ts';
import { newWorld, type World } from '../support/world.ts';

type File = [name: string, bytes: Uint8Array | string, field?: string];

const formOf = (world: World, list: File[]) => {
  const form = new FormData();
  form.set('uid', world.uid);
  form.set('agentId', world.agentId);
  for (const [name, bytes, field = 'files'] of list) form.append(field, new Blob([bytes]), name);
  return form;
};

const upload = (world: World, list: File[], headers: Record<string, string> = {}) =>
  world.call('POST', '/agent-documents', { body: formOf(world, list), headers });

const named = ({ uid, agentId }: World, documentId: string) => ({ uid, agentId, documentId });

const list = async (world: World, query: Record<string, string | number> = {}) => {
  const answer = await world.call('GET', '/agent-documents', {
    query: { uid: world.uid, agentId: world.agentId, ...query },
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};

// biome-ignore lint/suspicious/noExplicitAny: a test reads any answer
type Listed = any;

/** Watches the list until every document has come to an end, or until it is as wanted. */
const settled = async (
  world: World,
  isSettled = (all: Listed[]) => all.every(({ status }) => status === 'ready' || status === 'failed'),
): Promise<Listed[]> => {
  for (;;) {
    const { documents } = await list(world, { content: 'false' });
    if (isSettled(documents)) return (await list(world)).documents;
    await sleep(200);
  }
};

const requestForms = (world: World, announced: object[]) =>
  world.call('POST', '/agent-documents/uploads', {
    body: { uid: world.uid, agentId: world.agentId, files: announced },
  });

/** Sends a file by a form, as a browser does. */
const send = async ({ url, fields }: { url: string; fields: Record<string, string> }, bytes: Uint8Array | string) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([bytes]), 'whatever.bin');
  const { status } = await fetch(url, { method: 'POST', body: form });
  expect([200, 201, 204]).toContain(status);
};

const program = Buffer.from('MZ\x90\0\x03\0\0\0\xff\xff', 'latin1');

describe('uploading documents', () => {
  it('takes ten files of every kind, rejects invalid ones by name, and reports the result of each', async () => {
    const world = await newWorld();
    const answer = await upload(world, [
      ['hours.pdf', await pdfOf('Open from nine to five')],
      ['prices.docx', await docxOf('A cut is 20 euros'), 'files[]'],
      ['notes.txt', 'Notes', 'file'],
      ['setup.pdf', program],
      ['readme.md', '# Hello'],
      ['really a pdf.txt', await pdfOf('Told by its content')],
      ['scan.pdf', await scanPdf()],
      ['locked.pdf', sample('locked.pdf')],
      ['broken.pdf', '%PDF-1.7 and no more'],
      ['nothing.txt', ''],
    ]);
    expect(answer.status, answer.text).toBe(200);
    const { documentIds, documents, failed, message } = answer.body;
    expect(message).toBe('Files uploaded successfully');
    expect(documents).toEqual(
      [
        'hours.pdf',
        'prices.docx',
        'notes.txt',
        'readme.md',
        'really a pdf.txt',
        'scan.pdf',
        'locked.pdf',
        'broken.pdf',
      ].map((name, index) => ({ documentId: documentIds[index], name })),
    );
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
      ['scan.pdf', 'failed', 'pdf', '', expect.stringContaining('scan')],
      ['locked.pdf', 'failed', 'pdf', '', expect.stringContaining('password')],
      ['broken.pdf', 'failed', 'pdf', '', expect.stringContaining('damaged')],
    ]);
    const [hours] = found;
    expect(hours).toMatchObject({ agentId: world.agentId, active: true, lastUpdatedBy: world.uid });
    expect(await (await fetch(hours.fileUrl)).text()).toMatch(/^%PDF-/);
  });

  it('keeps names as they were sent, whatever they try', async () => {
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

  it('rejects a request without any valid file, with the code of the first', async () => {
    const world = await newWorld();
    const answer = await upload(world, [
      ['a.exe', program],
      ['b.txt', ''],
    ]);
    expect([answer.status, answer.body.error]).toEqual([400, 'unsupported_file_type']);
    expect(answer.body.details.map(({ path }: Listed) => path)).toEqual(['a.exe', 'b.txt']);
    expect((await list(world)).documents).toEqual([]);
  });

  it('takes ten files at once, and no eleventh', async () => {
    const world = await newWorld();
    const file = (_: unknown, index: number): File => [`${index}.txt`, `Text ${index}`];
    const eleven = await upload(world, Array.from({ length: 11 }, file));
    expect([eleven.status, eleven.body.error]).toEqual([400, 'too_many_files']);
    const ten = await upload(world, Array.from({ length: 10 }, file));
    expect([ten.status, ten.body.documentIds.length]).toEqual([200, 10]);
    expect((await settled(world)).map(({ content }) => content)).toEqual(
      Array.from({ length: 10 }, (_, index) => `Text ${index}`),
    );
  });

  it.each([
    ['4.5 MB', 4_500_000],
    ['8 MB', 8_000_000],
    ['10 MB and a byte', 10_485_761],
  ])('answers 413 to %s, and names the way for larger files', async (_, bytes) => {
    const world = await newWorld();
    const answer = await upload(world, [['large.txt', 'x'.repeat(bytes)]]);
    expect([answer.status, answer.body]).toEqual([
      413,
      { error: 'payload_too_large', message: expect.stringContaining('POST /agent-documents/uploads') },
    ]);
  });

  it('rejects other bodies, forms without a file, and broken ones', async () => {
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

  it('with an Idempotency-Key compares the parts, not the boundary', async () => {
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
});

describe('uploading by form', () => {
  it('takes a file that no request could carry, and extracts its text by itself', async () => {
    const largest = await requestForms(await newWorld(), [
      { name: 'largest.txt', size: 10_485_760, type: 'text/plain' },
    ]);
    expect([largest.status, largest.body.uploads.length]).toEqual([200, 1]);
    const world = await newWorld();
    const bytes = 5 * 1024 * 1024;
    const answer = await requestForms(world, [{ name: 'book.txt', size: bytes, type: 'text/plain' }]);
    expect(answer.status, answer.text).toBe(200);
    const [form] = answer.body.uploads;
    const policy = JSON.parse(Buffer.from(form.fields.policy, 'base64').toString());
    expect(policy.conditions).toContainEqual(['content-length-range', 1, 10_485_760]);
    expect(Date.parse(policy.expiration) - Date.now()).toBeGreaterThan(14 * 60_000);
    expect(Date.parse(policy.expiration) - Date.now()).toBeLessThanOrEqual(15 * 60_000);
    const [waiting] = (await list(world)).documents;
    expect(waiting).toMatchObject({ id: form.documentId, name: 'book.txt', status: 'pending', size: bytes });
    expect(waiting).not.toHaveProperty('fileUrl');

    const paragraph = `${'All work and no play makes for a long text. '.repeat(20).trim()}\n\n`;
    const text = paragraph.repeat(Math.ceil(bytes / paragraph.length)).slice(0, bytes);
    await send(form, text);
    const [book] = await settled(world);
    expect(book).toMatchObject({ status: 'ready', type: 'txt', size: bytes, truncated: true });
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

  it('rejects files announced as too large, empty, nameless or of an unsupported kind; the others get their forms', async () => {
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

  it('checks what came by it: too large, of another kind', async () => {
    const world = await newWorld();
    const { body } = await requestForms(world, [
      { name: 'a.txt', size: 1 },
      { name: 'b.pdf', size: 1 },
    ]);
    await send(body.uploads[0], 'x'.repeat(10_485_761));
    await send(body.uploads[1], program);
    const found = await settled(world);
    expect(found.map(({ status, error }) => [status, error])).toEqual([
      ['failed', 'The file is larger than 10 MB (10,485,760 bytes).'],
      ['failed', expect.stringMatching(/^The file is no PDF/)],
    ]);
  });

  it('used again, replaces the document', async () => {
    const world = await newWorld();
    const { body } = await requestForms(world, [{ name: 'a.txt', size: 1 }]);
    await send(body.uploads[0], 'First');
    await settled(world, ([one]) => one?.status === 'ready');
    await send(body.uploads[0], 'Second');
    const [replaced] = await settled(world, ([one]) => one?.status === 'ready' && one.size === 6);
    expect(replaced).toMatchObject({ content: 'Second', size: 6 });
  });

  it('never used, leaves nothing after an hour', async () => {
    const world = await newWorld();
    const changed = { lastUpdatedBy: world.uid, lastUpdatedAt: new Date().toISOString() };
    const id = newIdentifier('doc');
    const waited = {
      id,
      agentId: world.agentId,
      name: 'a',
      size: 1,
      active: true,
      ...waitingForFile(Date.now() - fileWaitSeconds * 1000 - 1),
    };
    await documents.get().add({ ...waited, ...changed });
    expect((await list(world)).documents).toEqual([]);
    const answer = await world.call('DELETE', '/agent-documents', { query: named(world, id) });
    expect(answer.status).toBe(404);
  });
});

describe('documents', () => {
  const one = async (world: World, content: Uint8Array | string = 'Notes', name = 'notes.txt') => {
    const { body } = await upload(world, [[name, content]]);
    await settled(world);
    return body.documentIds[0] as string;
  };

  it('are switched and renamed, and downloaded under the new name', async () => {
    const world = await newWorld();
    const id = await one(world);
    const answer = await world.call('PATCH', '/agent-documents', {
      body: { ...named(world, id), active: false, name: 'Neue Größen.txt' },
    });
    expect([answer.status, answer.body]).toEqual([
      200,
      expect.objectContaining({
        id,
        active: false,
        name: 'Neue Größen.txt',
        status: 'ready',
        lastUpdatedBy: world.uid,
      }),
    ]);
    expect(answer.body).not.toHaveProperty('content');
    expect(answer.body).not.toHaveProperty('attempt');
    const disposition = new URL(answer.body.fileUrl).searchParams.get('response-content-disposition');
    expect(disposition).toContain("filename*=UTF-8''Neue%20Gr%C3%B6%C3%9Fen.txt");
    expect(await (await fetch(answer.body.fileUrl)).text()).toBe('Notes');
    expect((await list(world)).documents[0]).toMatchObject({
      active: false,
      name: 'Neue Größen.txt',
      content: 'Notes',
    });
    for (const change of [{ name: '' }, { name: 'x'.repeat(201) }, { active: 'yes' }]) {
      const wrong = await world.call('PATCH', '/agent-documents', { body: { ...named(world, id), ...change } });
      expect([wrong.status, wrong.body.error]).toEqual([400, 'invalid_request']);
    }
  });

  it('that failed are tried again, and only those', async () => {
    const world = await newWorld();
    const [ready, failed] = [await one(world), await one(world, '%PDF-1.7 and no more')];
    const retry = (id: string) => world.call('POST', '/agent-documents/retry', { body: named(world, id) });
    const refused = await retry(ready);
    expect([refused.status, refused.body.error]).toEqual([409, 'not_failed']);
    const begun = await retry(failed);
    expect([begun.status, begun.body]).toEqual([
      200,
      { documentId: failed, message: 'Document will be tried again', status: 'pending' },
    ]);
    const [, again] = await settled(world);
    expect(again).toMatchObject({ status: 'failed', error: expect.stringContaining('damaged') });
    // What it fails for may have passed meanwhile.
    await files.get().put(fileKeyOf({ agentId: world.agentId, id: failed }), await pdfOf('Whole again'));
    const healed = await settled(world, ([, other]) => other?.status === 'ready');
    expect(healed[1]).toMatchObject({ content: 'Whole again' });
    expect(healed[1]).not.toHaveProperty('error');
  });

  it('are gone before the answer when they are deleted, with file and text, and then are not found', async () => {
    const world = await newWorld();
    const id = await one(world);
    const [{ fileUrl }] = (await list(world)).documents;
    const remove = () => world.call('DELETE', '/agent-documents', { query: named(world, id) });
    const answer = await remove();
    expect([answer.status, answer.body]).toEqual([200, { message: 'Document deleted successfully' }]);
    expect((await fetch(fileUrl)).status).toBe(404);
    expect(await piecesOf(id)).toBe(0);
    expect((await list(world)).documents).toEqual([]);
    const query = named(world, id);
    for (const again of [
      await remove(),
      await world.call('GET', '/agent-documents/content', { query }),
      await world.call('PATCH', '/agent-documents', { body: { ...query, active: true } }),
      await world.call('POST', '/agent-documents/retry', { body: query }),
    ]) {
      expect([again.status, again.body.error]).toEqual([404, 'document_not_found']);
    }
  });

  it('deleted while their form is out, leave nothing when it is used', async () => {
    const world = await newWorld();
    const { body } = await requestForms(world, [{ name: 'a.txt', size: 1 }]);
    const [form] = body.uploads;
    await world.call('DELETE', '/agent-documents', { query: named(world, form.documentId) });
    await send(form, 'Too late');
    const key = fileKeyOf({ agentId: world.agentId, id: form.documentId });
    while (await files.get().head(key)) await sleep(50);
    expect((await list(world)).documents).toEqual([]);
    expect(await piecesOf(form.documentId)).toBe(0);
  });

  it('are deleted in every state', async () => {
    const world = await newWorld();
    const text = await pdfOf(...Array.from({ length: 50 }, (_, page) => `Page ${page}`));
    for (let round = 0; round < 4; round++) {
      const { body } = await upload(world, [['a.pdf', text]]);
      const [id] = body.documentIds;
      await sleep(round * 60);
      const answer = await world.call('DELETE', '/agent-documents', { query: named(world, id) });
      expect(answer.status).toBe(200);
      // What a job under way still writes, it takes back.
      await sleep(300);
      await expect.poll(() => piecesOf(id)).toBe(0);
      expect(await files.get().head(fileKeyOf({ agentId: world.agentId, id }))).toBeUndefined();
    }
    expect((await list(world)).documents).toEqual([]);
  });

  it('are listed page by page, without texts where they are not wanted', async () => {
    const world = await newWorld();
    const { body } = await upload(world, [
      ['a.txt', 'A'],
      ['b.txt', 'B'],
      ['c.txt', 'C'],
    ]);
    await settled(world);
    const first = await list(world, { limit: 2 });
    const second = await list(world, { limit: 2, cursor: first.nextCursor });
    expect([...first.documents, ...second.documents].map(({ id }: Listed) => id)).toEqual(body.documentIds);
    expect(second).not.toHaveProperty('nextCursor');
    for (const document of (await list(world, { content: 'false' })).documents) {
      expect(document).not.toHaveProperty('content');
      expect(document).not.toHaveProperty('contentMD');
    }
    const query = { uid: world.uid, agentId: world.agentId };
    for (const wrong of [
      { limit: 0 },
      { limit: 101 },
      { content: 'false', limit: 1001 },
      { content: 'maybe' },
      { cursor: 'x' },
    ]) {
      const answer = await world.call('GET', '/agent-documents', {
        query: { ...query, ...wrong },
      });
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    }
    expect((await list(world, { content: 'false', limit: 1000 })).documents.length).toBe(3);
  });
});

/** How many pieces of text are stored of a document. */
const piecesOf = async (id: string): Promise<number> => {
  let pieces = 0;
  for await (const page of table.get().pages(textPiecesOf(id), { keysOnly: true })) pieces += page.length;
  return pieces;
};
