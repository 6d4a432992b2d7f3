import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { beforeAll, expect, it } from 'vitest';
import { listen } from '../../bin/local/listen.ts';
import { deleteDocument } from '../../functions/api/delete-document.ts';
import { uploadDocuments } from '../../functions/api/upload-documents.ts';
import { fileKey } from '../../functions/domain/documents.ts';
import { environment } from '../../functions/environment.ts';
import '../support/quiet-logs.ts';
import { Files, files as switched } from '../../functions/clients/files.ts';
import { invoke } from '../support/events.ts';
import { list, makeForm } from '../support/uploads.ts';
import { emulatorHeaders, newWorld, target, unique, useTargetInThisProcess, type World } from '../support/world.ts';

/** S3 behind a switch: a call whose key and method are `down` fails. */
const bucket = unique('bucket');
let down: (method: string) => boolean = () => false;

const server = createServer(async (request, response) => {
  const body = await buffer(request);
  const { method = 'GET' } = request;
  if (down(method)) return response.writeHead(503).end('<Code>SlowDown</Code>');
  const sent = { method, headers: emulatorHeaders, ...(body.length > 0 && { body }) };
  const answer = await fetch(target.endpoints.s3 + request.url, sent);
  response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
});
let files: Files;
beforeAll(async () => {
  const { endpoint, stop } = await listen(server);
  useTargetInThisProcess();
  process.env.FILES_BUCKET = bucket;
  await fetch(`${target.endpoints.s3}/${bucket}`, { method: 'PUT', headers: emulatorHeaders });
  files = new Files({ ...environment.s3, bucket });
  process.env.AWS_ENDPOINT_URL_S3 = endpoint;
  // The client is opened here, once for the process: settings of a later world would come too late.
  switched.get();
  return stop;
});

const upload = async (world: World, names: string[], headers: Record<string, string> = {}) => {
  const form = makeForm(
    world,
    names.map((name) => [name, `I am ${name}`]),
  );
  const sent = new Response(form);
  const contentType = String(sent.headers.get('content-type'));
  const body = new Uint8Array(await sent.arrayBuffer());
  return invoke(uploadDocuments, { apiKey: world.apiKey, headers: { 'content-type': contentType, ...headers }, body });
};

const remove = ({ uid, agentId, apiKey }: World, documentId: string) =>
  invoke(deleteDocument, { apiKey, query: { uid, agentId, documentId } });

const listed = async (world: World): Promise<{ name: string }[]> => (await list(world)).documents;

it('a file that cannot be stored does not fail the others, and leaves no document', async () => {
  const world = await newWorld();
  let puts = 0;
  // The three attempts at one of two files.
  down = (method) => method === 'PUT' && ++puts <= 3;
  const { status, body } = await upload(world, ['a.txt']);
  expect([status, body.error]).toEqual([500, 'internal_error']);
  expect(await listed(world)).toEqual([]);
  down = () => false;
  const again = await upload(world, ['a.txt', 'b.txt']);
  expect(again.status).toBe(200);
  expect((await listed(world)).map(({ name }) => name)).toEqual(['a.txt', 'b.txt']);
});

it('an upload that failed half-way is completed by its repetition under the same Idempotency-Key, once', async () => {
  const world = await newWorld();
  const headers = { 'idempotency-key': 'half-way' };
  down = (method) => method === 'PUT';
  expect((await upload(world, ['a.txt', 'b.txt'], headers)).status).toBe(500);
  down = () => false;
  const { status, body } = await upload(world, ['a.txt', 'b.txt'], headers);
  expect([status, body.documents.length, body.failed]).toEqual([200, 2, []]);
  expect(await listed(world)).toHaveLength(2);
  const replayed = await upload(world, ['a.txt', 'b.txt'], headers);
  expect(replayed.body).toEqual(body);
  expect(await listed(world)).toHaveLength(2);
});

it('a deletion that could not reach the file is reported as failed; the document is not listed, and deleting it again completes it', async () => {
  const world = await newWorld();
  down = () => false;
  const { body } = await upload(world, ['a.txt']);
  const [id] = body.documentIds;
  const key = fileKey({ agentId: world.agentId, id });
  down = (method) => method === 'DELETE';
  const failed = await remove(world, id);
  expect([failed.status, failed.body]).toEqual([500, { error: 'internal_error', message: expect.any(String) }]);
  expect(await listed(world)).toEqual([]);
  expect(await files.head(key)).toBeDefined();
  down = () => false;
  expect((await remove(world, id)).status).toBe(200);
  expect(await files.head(key)).toBeUndefined();
  expect((await remove(world, id)).status).toBe(404);
});
