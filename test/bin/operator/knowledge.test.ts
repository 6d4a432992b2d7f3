import { describe, expect, it } from 'vitest';
import { documentKey } from '../../../functions/store/keys.ts';
import { documentReads } from '../../../functions/store/sources/documents.ts';
import type { TextReference } from '../../../functions/store/sources/source-texts.ts';
import { table } from '../../../functions/store/table.ts';
import { knowledge, upload } from '../../support/knowledge-command.ts';
import { json, newFile, oneSentence, operator, runOperator } from '../../support/operator-command.ts';
import { newFolder } from '../../support/websites.ts';
import { newUser, newWorld, target, unique } from '../../support/world.ts';

it('knowledge add-site ends with 1 and the reason when the site cannot be read', async () => {
  const world = await newWorld();
  const site = newFolder();
  const { code, stdout } = await knowledge(['add-site', site.url, '--agent-id', world.agentId]);
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(/status +failed\n(.*\n)*error +The page answered with status 404\./),
  ]);
});

it('the key for knowledge is created for the owner and deleted afterwards, also after a failure', async () => {
  const world = await newWorld();
  await json('knowledge', 'list', '--agent-id', world.agentId, '--base-url', target.baseUrl);
  await knowledge(['list', '--agent-id', world.agentId, '--base-url', 'http://127.0.0.1:9']);
  const { keys } = await json('key', 'list', '--uid', world.uid);
  expect(keys.map(({ name }: { name: string }) => name)).toEqual(['test']);
});

it('the key for knowledge is VAP_API_KEY if it is set, and then no table is needed', async () => {
  const world = await newWorld();
  const environment = { VAP_API_KEY: world.apiKey, VAP_BASE_URL: target.baseUrl };
  const args = ['knowledge', 'list', '--agent-id', world.agentId];
  // The user is that of the key unless another one is named.
  for (const more of [[], ['--uid', world.uid]])
    expect((await runOperator(environment, [...args, ...more])).code).toBe(0);
  for (const [more, env, said, exitCode] of [
    [['--uid', world.uid], { ...environment, VAP_API_KEY: 'vap_x' }, 'not an API key', 2],
    [['--uid', 'somebody-else'], environment, 'may not do this', 1],
  ] as [string[], Record<string, string>, string, number][]) {
    const refused = await runOperator(env, [...args, ...more]);
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(refused.stderr).toMatch(oneSentence);
    expect(refused.stderr).toContain(said);
  }
});

it('the key for knowledge is not created for a user without access to the agent, nor for a missing agent', async () => {
  const [world, other] = [await newWorld(), await newUser()];
  const foreign = await knowledge(['list', '--agent-id', world.agentId, '--uid', other.uid]);
  expect(foreign).toMatchObject({ code: 1, stderr: `User ${other.uid} has no access to agent ${world.agentId}.\n` });
  const missing = await knowledge(['list', '--agent-id', unique('agent')]);
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('There is no agent')]);
});

describe('knowledge index', () => {
  const index = (...args: string[]) => operator('knowledge', 'index', ...args, '--json');

  it('knowledge index indexes sources without an index or with one of another format, once', async () => {
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

  it('knowledge index reports a missing user or agent', async () => {
    expect((await index()).code).toBe(2);
    expect((await index('--agent-id', 'nobody')).code).toBe(1);
    const { code, stderr } = await index('--uid', 'nobody');
    expect([code, JSON.parse(stderr).error]).toEqual([1, 'user_not_found']);
  });
});
