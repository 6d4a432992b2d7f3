import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentReads } from '../../../functions/store/documents.ts';
import { documentKey } from '../../../functions/store/keys.ts';
import type { TextReference } from '../../../functions/store/source-texts.ts';
import { table } from '../../../functions/store/table.ts';
import { startBetween } from '../../support/between.ts';
import { withFastTimers } from '../../support/captured-run.ts';
import { largePdf, pdfOf, sample } from '../../support/documents.ts';
import {
  folder,
  json,
  newFile,
  oneSentence,
  operator,
  operatorWith,
  settings,
} from '../../support/operator-command.ts';
import { page } from '../../support/site.ts';
import { newFolder } from '../../support/websites.ts';
import { newUser, newWorld, target, unique, type World } from '../../support/world.ts';

/** Its waiting takes no seconds. Timeouts of the table pass as fast. */
const knowledge = (args: string[]) =>
  withFastTimers(() =>
    operatorWith({ ...settings, TABLE_TIMEOUT_SECONDS: '600' }, [
      'knowledge',
      ...args,
      ...(args.includes('--base-url') ? [] : ['--base-url', target.baseUrl]),
    ]),
  );

const upload = async (world: World, files: string[], ...more: string[]) => {
  const { code, stdout, stderr } = await knowledge([
    'upload',
    ...files,
    '--agent-id',
    world.agentId,
    '--json',
    ...more,
  ]);
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any answer
  return { code, stderr, files: (stdout ? JSON.parse(stdout).files : []) as any[] };
};

const documentsOf = async ({ uid, agentId, call }: World) =>
  (await call('GET', '/agent-documents', { query: { uid, agentId } })).body.documents;

describe('knowledge upload', () => {
  it('reports the result of each file', async () => {
    const world = await newWorld();
    const files = [
      newFile(await pdfOf('Open from nine to five'), 'hours.pdf'),
      newFile('MZ\u0090\0\u0003', 'setup.pdf'),
      join(folder, 'nothing-there.txt'),
      newFile('Grüße', 'notes.txt'),
      folder,
      newFile(sample('locked.pdf'), 'locked.pdf'),
      newFile('', 'empty.txt'),
    ];
    const { code, files: reported, stderr } = await upload(world, files);
    expect(code).toBe(1);
    expect(reported.map(({ file, status, error }) => [file, status, error])).toEqual([
      [files[0], 'ready', undefined],
      [files[1], 'rejected', expect.stringContaining('no PDF')],
      [files[2], 'not sent', expect.stringContaining('no such file')],
      [files[3], 'ready', undefined],
      [files[4], 'not sent', expect.stringContaining('folder')],
      [files[5], 'failed', expect.stringContaining('password')],
      [files[6], 'rejected', 'The file is empty.'],
    ]);
    for (const file of files) expect(stderr).toContain(`${file}: `);
    const documents = await documentsOf(world);
    expect(documents.map(({ id, content }: { id: string; content: string }) => [id, content])).toEqual([
      [reported[0].documentId, 'Open from nine to five'],
      [reported[3].documentId, 'Grüße'],
      [reported[5].documentId, ''],
    ]);
  });

  it('sends large files by presigned uploads, and rejects larger ones', { tags: 'heavy' }, async () => {
    const world = await newWorld();
    const files = [
      newFile(await largePdf('By a form'), 'large.pdf'),
      newFile('small', 'small.txt'),
      newFile(Buffer.alloc(10_485_761, 'x'), 'too-large.txt'),
    ];
    const { code, files: reported, stderr } = await upload(world, files);
    expect(code).toBe(1);
    expect(reported.map(({ status, type, error }) => [status, type, error])).toEqual([
      ['ready', 'pdf', undefined],
      ['ready', 'txt', undefined],
      ['rejected', undefined, expect.stringContaining('larger than 10 MB')],
    ]);
    expect(stderr).toContain('large.pdf: sent by a presigned upload.');
    const documents = await documentsOf(world);
    expect(documents.map(({ content }: { content: string }) => content).sort()).toEqual(['By a form', 'small']);
  });

  it('takes any number of files, also two of one name', async () => {
    const world = await newWorld();
    const files = Array.from({ length: 11 }, (_, n) => newFile(`Text ${n}`));
    const { code, files: reported } = await upload(world, [...files, files[0] as string]);
    expect(code).toBe(0);
    expect(reported.map(({ status }) => status)).toEqual(Array(12).fill('ready'));
    expect(new Set(reported.map(({ documentId }) => documentId)).size).toBe(12);
    expect(await documentsOf(world)).toHaveLength(12);
  });

  it('says when none of the files was taken, and each one’s reason', async () => {
    const world = await newWorld();
    const { code, files } = await upload(world, [newFile('', 'a.txt'), newFile('MZ\u0090\0', 'b.txt')]);
    expect([code, files.map(({ status, error }) => [status, error])]).toEqual([
      1,
      [
        ['rejected', 'The file is empty.'],
        ['rejected', expect.stringContaining('no PDF')],
      ],
    ]);
  });

  it('does not wait when an option says so', async () => {
    const world = await newWorld();
    const { code, files } = await upload(world, [newFile('text')], '--no-wait');
    expect([code, files]).toEqual([
      0,
      [{ file: expect.any(String), status: 'sent', documentId: expect.stringMatching(/^doc_/) }],
    ]);
  });

  it('stores a file once when a response was lost', async () => {
    const world = await newWorld();
    let lost = 0;
    await using between = await startBetween(async (request, response, forward) => {
      if (request.method !== 'POST' || lost > 0) return false;
      lost += 1;
      await forward();
      return response.destroy();
    });
    const { code, files } = await upload(world, [newFile('once')], '--base-url', between.baseUrl);
    expect([lost, code, files.map(({ status }) => status)]).toEqual([1, 0, ['ready']]);
    expect(await documentsOf(world)).toHaveLength(1);
  });

  it('reports a file as unknown when all responses were lost', async () => {
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

  it('reports a document that was deleted while it waited, and a service that stopped', async () => {
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
});

describe('knowledge add-site', () => {
  it('adds a website, and reports the result of its crawl', async () => {
    const world = await newWorld();
    const site = newFolder();
    await site.put('', page('home', site.at('a'), site.at('missing'), site.at('b')));
    await site.put('a', page('a'));
    await site.put('b', page('b'));
    const args = ['--agent-id', world.agentId, '--base-url', target.baseUrl];
    const { stdout } = await knowledge([
      'add-site',
      site.url,
      '--name',
      'Help',
      '--limit',
      '3',
      '--exclude',
      '/b$',
      ...args,
      '--json',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'Help',
      url: site.url,
      status: 'ready',
      pages: 2,
      limit: 3,
      excludePaths: ['/b$'],
      failedPages: [{ url: site.at('missing'), reason: 'The page answered with status 404.' }],
    });
    const shown = await knowledge(['add-site', site.url, ...args]);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/status +ready/);
    expect(shown.stdout).toContain('The page answered with status 404.');
  });

  it('ends with 1 and the reason when the site cannot be read', async () => {
    const world = await newWorld();
    const site = newFolder();
    const { code, stdout } = await knowledge(['add-site', site.url, '--agent-id', world.agentId]);
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/status +failed\nerror +The page answered with status 404\./),
    ]);
  });

  it('reports an error of the service in a sentence', async () => {
    const world = await newWorld();
    const { code, stdout, stderr } = await knowledge([
      'add-site',
      'http://e.com',
      '--include',
      '(?=x)',
      '--agent-id',
      world.agentId,
    ]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(oneSentence);
    expect(stderr).toContain('(?=x)');
  });
});

describe('knowledge list', () => {
  it('lists all websites and documents with their status and error', async () => {
    const world = await newWorld();
    const list = () => json('knowledge', 'list', '--agent-id', world.agentId, '--base-url', target.baseUrl);
    expect(await list()).toEqual({ agentId: world.agentId, websites: [], documents: [] });
    const site = newFolder();
    await knowledge(['add-site', site.url, '--agent-id', world.agentId]);
    await upload(world, [newFile('text', 'a\u001b[2J.txt'), newFile(sample('locked.pdf'), 'b.pdf')]);
    const { websites, documents } = await list();
    expect(websites).toMatchObject([{ url: site.url, status: 'failed', error: expect.stringContaining('404') }]);
    expect(documents.map(({ status }: { status: string }) => status)).toEqual(['ready', 'failed']);
    expect(documents[0]).not.toHaveProperty('content');
    const { stdout } = await knowledge(['list', '--agent-id', world.agentId]);
    expect(stdout).toContain('[2J.txt');
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toContain('password');
  });
});

describe('the key for knowledge', () => {
  it('is made for the owner and deleted afterwards, also after a failure', async () => {
    const world = await newWorld();
    await json('knowledge', 'list', '--agent-id', world.agentId, '--base-url', target.baseUrl);
    await knowledge(['list', '--agent-id', world.agentId, '--base-url', 'http://127.0.0.1:9']);
    const { keys } = await json('key', 'list', '--uid', world.uid);
    expect(keys.map(({ name }: { name: string }) => name)).toEqual(['test']);
  });

  it('is that of VAP_API_KEY where it is set, and then no table is needed', async () => {
    const world = await newWorld();
    const environment = { VAP_API_KEY: world.apiKey, VAP_BASE_URL: target.baseUrl };
    const args = ['knowledge', 'list', '--agent-id', world.agentId];
    const { code } = await operatorWith(environment, [...args, '--uid', world.uid]);
    expect(code).toBe(0);
    for (const [more, env, said, exitCode] of [
      [[], environment, '--uid', 2],
      [['--uid', world.uid], { ...environment, VAP_API_KEY: 'vap_x' }, 'not an API key', 2],
      [['--uid', 'somebody-else'], environment, 'may not do this', 1],
    ] as [string[], Record<string, string>, string, number][]) {
      const refused = await operatorWith(env, [...args, ...more]);
      expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: exitCode, stdout: '' });
      expect(refused.stderr).toMatch(oneSentence);
      expect(refused.stderr).toContain(said);
    }
  });

  it('is made for nobody who may not use the agent, nor for an agent that is not there', async () => {
    const [world, other] = [await newWorld(), await newUser()];
    const foreign = await knowledge(['list', '--agent-id', world.agentId, '--uid', other.uid]);
    expect(foreign).toMatchObject({ code: 1, stderr: `User ${other.uid} has no access to agent ${world.agentId}.\n` });
    const missing = await knowledge(['list', '--agent-id', unique('agent')]);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('There is no agent')]);
  });

  it('cannot be brought anywhere when only the table is named', async () => {
    const world = await newWorld();
    const { code, stderr } = await operator('knowledge', 'list', '--agent-id', world.agentId);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--base-url')]);
    expect(stderr).toMatch(oneSentence);
  });

  it('goes to the local run when none is named', async () => {
    const world = await newWorld();
    const { tableName, endpoints, baseUrl, credentials } = target;
    const run = newFile(
      JSON.stringify({ pid: process.pid, baseUrl, tableName, endpoints, region: 'us-east-1', credentials }),
    );
    const { code, stdout } = await operatorWith({}, [
      'knowledge',
      'list',
      '--agent-id',
      world.agentId,
      '--run-file',
      run,
    ]);
    expect([code, stdout]).toEqual([0, `Agent ${world.agentId} has no websites and no documents.\n`]);
  });
});

it.each([
  ['list', []],
  ['add-site', ['http://example.com/']],
])('an unreachable service is one sentence and exit code 1: %s', async (command, args) => {
  const world = await newWorld();
  const target = ['--agent-id', world.agentId, '--base-url', 'http://127.0.0.1:9'];
  const { code, stdout, stderr } = await knowledge([command, ...args, ...target]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(oneSentence);
  expect(stderr).toContain('http://127.0.0.1:9 cannot be reached');
});

describe('knowledge index', () => {
  const index = (...args: string[]) => operator('knowledge', 'index', ...args, '--json');

  it('indexes what an earlier version stored without an index or with one of another format, once', async () => {
    const world = await newWorld();
    const { uid, agentId } = world;
    await upload(world, [newFile('Open at nine.', 'a.txt'), newFile('Open at ten.', 'b.txt')]);
    const records = await Array.fromAsync(documentReads.get().list(agentId));
    const [{ index: _, ...withoutIndex }, other] = records.map(({ text }) => text) as [TextReference, TextReference];
    const older = [withoutIndex, { ...other, index: { ...other.index, format: 0 } }];
    for (const [at, { id }] of records.entries()) {
      await table.get().change(documentKey(agentId, id), { set: { text: older[at] } });
    }
    const search = () =>
      world.call('POST', '/agent-knowledge/search', { body: { uid, agentId, query: 'open' } }).then(({ body }) => body);
    expect(await search()).toEqual({ passages: [], searched: { sources: 0, passages: 0, unindexed: 2 } });
    const { code, stdout } = await index('--uid', uid);
    expect([code, JSON.parse(stdout)]).toEqual([0, { agents: 1, indexed: 2 }]);
    expect((await search()).searched).toEqual({ sources: 2, passages: 2 });
    expect(JSON.parse((await index('--agent-id', agentId)).stdout)).toEqual({ agents: 1, indexed: 0 });
  });

  it('says what is missing: whose knowledge, or the agent', async () => {
    expect((await index()).code).toBe(2);
    expect((await index('--agent-id', 'nobody')).code).toBe(1);
  });
});
