import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sample } from '../../support/documents.ts';
import { folder, json, jsonError, newFile, operator } from '../../support/operator-command.ts';
import { page } from '../../support/site.ts';
import { newFolder } from '../../support/websites.ts';
import { newWorld, target, unique } from '../../support/world.ts';

const run = (...args: string[]) => operator('knowledge', ...args, '--base-url', target.baseUrl);
const result = (...args: string[]) => json('knowledge', ...args, '--base-url', target.baseUrl);

it('knowledge is shown, renamed, disabled, crawled again, exported and deleted by the operator', async () => {
  const world = await newWorld();
  const at = ['--agent-id', world.agentId];
  const site = newFolder();
  await site.put('', page('Opening hours'));
  const added = JSON.parse((await run('add-site', site.url, ...at, '--json')).stdout);
  const { documents } = JSON.parse(
    (await run('upload', newFile('Grüße', 'notes.txt'), ...at, '--json')).stdout.replace('"files"', '"documents"'),
  );
  const [{ documentId }] = documents;

  expect(await result('show', added.id, ...at)).toMatchObject({ id: added.id, url: site.url, status: 'ready' });
  expect(await result('update', documentId, ...at, '--name', 'Notes', '--disable')).toMatchObject({
    name: 'Notes',
    active: false,
  });
  expect(await result('update', documentId, ...at, '--enable')).toMatchObject({ name: 'Notes', active: true });
  expect((await run('show', documentId, ...at)).stdout).toMatch(/active +true/);
  expect(await run('update', documentId, ...at)).toMatchObject({ code: 2, stdout: '' });

  await site.put('', page('Prices'));
  expect((await run('refresh', added.id, ...at)).code).toBe(0);
  expect((await run('export', added.id, ...at)).stdout).toContain('Prices');
  const file = join(folder, unique('text'));
  await result('export', documentId, ...at, '--format', 'text', '--output', file);
  expect(readFileSync(file, 'utf8')).toBe('Grüße');

  const shown = await run('delete', added.id, documentId, ...at);
  expect(shown).toMatchObject({ code: 0, stderr: 'Nothing was deleted. Add --yes to do it.\n' });
  expect(shown.stdout).toContain(documentId);
  expect(await result('list', ...at)).toMatchObject({ websites: [{}], documents: [{}] });
  expect((await result('delete', added.id, documentId, ...at, '--yes')).sources).toHaveLength(2);
  expect(await result('list', ...at)).toMatchObject({ websites: [], documents: [] });
  expect(await run('delete', added.id, ...at, '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('This agent has no such website.'),
  });
});

it('a document that failed is extracted again by the operator', async () => {
  const world = await newWorld();
  const at = ['--agent-id', world.agentId];
  const { stdout } = await run('upload', newFile(sample('locked.pdf'), 'locked.pdf'), ...at, '--json');
  const [{ documentId }] = JSON.parse(stdout).files;
  const again = await run('retry', documentId, ...at, '--json');
  expect([again.code, JSON.parse(again.stdout)]).toMatchObject([1, { id: documentId, status: 'failed' }]);
  expect(again.stderr).toBe(jsonError('failed', `Document ${documentId} failed.`));
  expect(await run('retry', 'doc_none', ...at)).toMatchObject({ code: 1, stdout: '' });
});
