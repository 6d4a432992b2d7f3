import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startBetween } from '../../../support/between.ts';
import { largePdf } from '../../../support/documents.ts';
import { upload } from '../../../support/knowledge-command.ts';
import { ended, newFile, settings, start } from '../../../support/operator-command.ts';
import { until } from '../../../support/until.ts';
import { newWorld } from '../../../support/world.ts';

it('knowledge upload that is stopped while a form is sent reports which files were sent, which were not, and which are unknown', async () => {
  const world = await newWorld();
  await using storage = await startBetween(() => new Promise<boolean>(() => {}));
  let isStuck = true;
  await using between = await startBetween(async (request, response, forward) => {
    if (!isStuck || request.url !== '/agent-documents/uploads') return false;
    const { uploads, failed } = (await (await forward()).json()) as { uploads: object[]; failed: object[] };
    const body = { uploads: uploads.map((one) => ({ ...one, url: storage.baseUrl })), failed };
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const large = await Promise.all([1, 2, 3, 4].map(async (n) => newFile(await largePdf(`Large ${n}`))));
  const small = newFile('small');
  const child = start(
    ['knowledge', 'upload', small, ...large, '--agent-id', world.agentId, '--json', '--base-url', between.baseUrl],
    settings,
  );
  const end = ended(child);
  // Three forms are in progress at once.
  await until(() => storage.begun() >= 3);
  child.kill('SIGTERM');
  const { code, stdout, stderr } = await end;
  expect(code).toBe(3);
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any answer
  const reported: any[] = JSON.parse(stdout).files;
  expect(reported.map(({ status }) => status)).toEqual(['sent', 'unknown', 'unknown', 'unknown', 'not sent']);
  for (const { error } of reported.slice(1, 4)) expect(error).toMatch(/[Ss]topped.*deleted within an hour/);
  expect(reported[4].error).toBe('Stopped before it was sent.');
  expect(stderr).toContain('Stopped.');

  // The same command sends what was not sent, and nothing twice.
  isStuck = false;
  const again = await upload(world, [small, ...large], '--base-url', between.baseUrl);
  expect(again.files.map(({ status }) => status)).toEqual(Array(5).fill('ready'));
  expect(again.files[0].documentId).toBe(reported[0].documentId);
  const { uid, agentId } = world;
  expect((await world.call('GET', '/agent-documents', { query: { uid, agentId } })).body.documents).toHaveLength(5);
  expect(existsSync(`${small}.progress.json`)).toBe(false);
});

it('knowledge upload that is stopped while it waits reports the state of each document', async () => {
  const world = await newWorld();
  let answered = 0;
  await using between = await startBetween(async (request, response, forward) => {
    if (request.method !== 'GET' || !request.url?.startsWith('/agent-documents?')) return false;
    const text = await (await forward()).text();
    const still = text.replaceAll(/"status":"\w+"/g, '"status":"processing"');
    answered++;
    return response.writeHead(200, { 'content-type': 'application/json' }).end(still);
  });
  const child = start(
    ['knowledge', 'upload', newFile('text'), '--agent-id', world.agentId, '--json', '--base-url', between.baseUrl],
    settings,
  );
  const end = ended(child);
  const { uid, agentId } = world;
  const documents = async () =>
    (await world.call('GET', '/agent-documents', { query: { uid, agentId } })).body.documents;
  await until(async () => (await documents())[0]?.status === 'ready');
  // The command has asked again after the first answer, and goes on waiting.
  await until(() => answered > 1);
  child.kill('SIGTERM');
  const { code, stdout, stderr } = await end;
  expect([code, JSON.parse(stdout).files]).toMatchObject([3, [{ status: 'processing' }]]);
  expect(stderr).toContain('Stopped. What was sent is processed all the same');
});
