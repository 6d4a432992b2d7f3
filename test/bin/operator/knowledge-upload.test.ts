import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startBetween } from '../../support/between.ts';
import { largePdf, makePdf, sample } from '../../support/documents.ts';
import { upload } from '../../support/knowledge-command.ts';
import { folder, newFile } from '../../support/operator-command.ts';
import { newWorld, type World } from '../../support/world.ts';

const listDocuments = async ({ uid, agentId, call }: World) =>
  (await call('GET', '/agent-documents', { query: { uid, agentId } })).body.documents;

it('knowledge upload reports the result of each file', async () => {
  const world = await newWorld();
  const files = [
    newFile(await makePdf('Open from nine to five'), 'hours.pdf'),
    newFile('MZ\u0090\0\u0003', 'setup.pdf'),
    join(folder, 'nothing-there.txt'),
    newFile('Grüße', 'notes.txt'),
    folder,
    newFile(sample('locked.pdf'), 'locked.pdf'),
    newFile('', 'empty.txt'),
  ];
  const { code, files: reported } = await upload(world, files);
  expect(code).toBe(1);
  expect(reported.map(({ file, status, error }) => [file, status, error])).toEqual([
    [files[0], 'ready', undefined],
    [files[1], 'rejected', expect.stringContaining('not a PDF')],
    [files[2], 'not sent', expect.stringContaining('no such file')],
    [files[3], 'ready', undefined],
    [files[4], 'not sent', expect.stringContaining('folder')],
    [files[5], 'failed', expect.stringContaining('password')],
    [files[6], 'rejected', 'The file is empty.'],
  ]);
  const documents = await listDocuments(world);
  // The files are sent at once, and are documents in any order.
  expect(new Map(documents.map(({ id, content }: { id: string; content: string }) => [id, content]))).toEqual(
    new Map([
      [reported[0].documentId, 'Open from nine to five'],
      [reported[3].documentId, 'Grüße'],
      [reported[5].documentId, ''],
    ]),
  );
});

it('knowledge upload sends large files by presigned uploads, and rejects larger ones', {
  tags: 'heavy',
}, async () => {
  const world = await newWorld();
  const files = [
    newFile(await largePdf('By a form'), 'large.pdf'),
    newFile('small', 'small.txt'),
    newFile(Buffer.alloc(10_485_761, 'x'), 'too-large.txt'),
  ];
  const { code, files: reported } = await upload(world, files);
  expect(code).toBe(1);
  expect(reported.map(({ status, type, error }) => [status, type, error])).toEqual([
    ['ready', 'pdf', undefined],
    ['ready', 'txt', undefined],
    ['rejected', undefined, expect.stringContaining('larger than 10 MB')],
  ]);
  const documents = await listDocuments(world);
  expect(documents.map(({ content }: { content: string }) => content).sort()).toEqual(['By a form', 'small']);
});

it('knowledge upload accepts any number of files, also two of one name', { tags: 'heavy' }, async () => {
  const world = await newWorld();
  const files = Array.from({ length: 11 }, (_, n) => newFile(`Text ${n}`));
  const { code, files: reported } = await upload(world, [...files, files[0] as string]);
  expect(code).toBe(0);
  expect(reported.map(({ status }) => status)).toEqual(Array(12).fill('ready'));
  expect(new Set(reported.map(({ documentId }) => documentId)).size).toBe(12);
  expect(await listDocuments(world)).toHaveLength(12);
});

it('knowledge upload does not wait with --no-wait', async () => {
  const world = await newWorld();
  const { code, files } = await upload(world, [newFile('text')], '--no-wait');
  expect([code, files]).toEqual([
    0,
    [{ file: expect.any(String), status: 'sent', documentId: expect.stringMatching(/^doc_/) }],
  ]);
});

it('knowledge upload reports a file as unknown when all responses were lost', async () => {
  const world = await newWorld();
  await using between = await startBetween(
    async (request, response) => request.method === 'POST' && response.destroy(),
  );
  const { code, files } = await upload(world, [newFile('lost')], '--base-url', between.baseUrl);
  expect([code, files.map(({ status, error }) => [status, error])]).toEqual([
    1,
    [['unknown', expect.stringMatching(/cannot be reached.*may have been accepted/)]],
  ]);
});

it('knowledge upload reports a document that was deleted while it waited, and a service that stopped', async () => {
  const world = await newWorld();
  let gone: 'deleted' | 'away' = 'deleted';
  await using between = await startBetween(async (request, response) => {
    if (request.method !== 'GET') return false;
    if (gone === 'away') return response.destroy();
    return response.writeHead(200, { 'content-type': 'application/json' }).end('{"documents":[]}');
  });
  const deleted = await upload(world, [newFile('text')], '--base-url', between.baseUrl);
  expect([deleted.code, deleted.files]).toMatchObject([1, [{ status: 'deleted' }]]);
  gone = 'away';
  const away = await upload(world, [newFile('text')], '--base-url', between.baseUrl);
  expect([away.code, away.files]).toMatchObject([1, [{ status: 'sent', documentId: expect.any(String) }]]);
  expect(away.stderr).toMatch(/cannot be reached .*What was sent is processed all the same/);
});
