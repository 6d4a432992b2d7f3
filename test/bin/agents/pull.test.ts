import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agents, newFolder, pulledWorld, read, uploadFiles } from '../../support/agents-tool.ts';
import { newUser, newWorld, target } from '../../support/world.ts';

it('agents pull writes a file for each agent that has a key, with the version it is based on', async () => {
  const world = await pulledWorld({
    greeting: 'Hello',
    instructions: 'Be brief.\nBe kind.\n',
    ours: { deep: [1, 'yes'] },
  });
  await world.call('POST', '/agents', { body: { uid: world.uid, name: 'Without a key' } });
  expect(read(world.folder)).toMatch(
    new RegExp(
      `^key: desk\nversion: ${target.baseUrl}/agents/${world.agentId}/versions/2#[0-9a-f]{12}\nname: Agent\nconfiguration:\n`,
    ),
  );
  expect(read(world.folder)).toContain('  instructions: |\n    Be brief.\n    Be kind.\n');
  const again = await world.run('pull');
  expect(again).toMatchObject({ code: 0, stdout: '1 unchanged.\n' });
  expect(again.stderr).toMatch(
    /^(agent_\w+) \(Without a key\) has no file, because it has no name for files\. To set one: npm run operator -- agent update \1 --key NAME\n$/,
  );
  expect(readdirSync(world.folder)).toEqual(['.named-agents', 'desk.yaml']);
});

it('agents pull writes the changes of the service, and keeps comments, order and own fields of the file', async () => {
  const world = await pulledWorld({ greeting: 'Hello', voice: 'warm', variables: { a: 1, b: [1, 2] } });
  world.edit('key: desk', '# Our front desk\nowner: team-a\nkey: desk # never change');
  world.edit('  greeting: Hello', '  # spoken first\n  greeting: "Hello" # short');
  world.edit('  variables:\n', '  variables:\n    # a counter\n');
  await world.change({ configuration: { greeting: 'Hi', voice: null, variables: { a: 2, b: [1, 2], c: true } } });
  expect(await world.run('pull')).toMatchObject({ code: 0, stdout: expect.stringContaining('1 updated.') });
  const text = read(world.folder);
  expect(text.replace(/version: .*/, 'version: …')).toBe(`# Our front desk
owner: team-a
key: desk # never change
version: …
name: Agent
configuration:
  # spoken first
  greeting: "Hi" # short
  variables:
    # a counter
    a: 2
    b:
      - 1
      - 2
    c: true
websites: []
documents: []
`);
  expect(await world.run('diff')).toMatchObject({ code: 0 });
});

it('agents pull does not change an edited file without --overwrite', async () => {
  const world = await pulledWorld();
  world.edit('greeting: Hello', 'greeting: Mine');
  await world.change({ configuration: { voice: 'cold' } });
  const edited = read(world.folder);
  const refused = await world.run('pull');
  expect(refused).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('! desk (desk.yaml): The file was edited. --overwrite replaces the edits.\n'),
  });
  expect(read(world.folder)).toBe(edited);
  expect(await world.run('pull', '--overwrite', '--dry-run')).toMatchObject({ code: 0 });
  expect(read(world.folder)).toBe(edited);
  expect(await world.run('pull', '--overwrite')).toMatchObject({ code: 0 });
  expect(read(world.folder)).toMatch(/greeting: Hello\n {2}voice: cold\n/);
});

it('agents pull downloads documents below the folder, however they are named, and not again', async () => {
  const world = await pulledWorld();
  await uploadFiles(world, {
    '../../../etc/passwd': 'a',
    '..': 'b',
    'C:\\a.txt': 'c',
    'Price list.md': '# d',
    'con\u202e.txt': 'e',
  });
  await uploadFiles(world, { 'Price list.md': '# another one' });
  expect(await world.run('pull')).toMatchObject({ code: 0 });
  expect(readdirSync(join(world.folder, 'desk')).sort()).toEqual(
    ['C__a.txt', 'Price list (2).md', 'Price list.md', '__.._.._etc_passwd', '_', 'con_.txt'].sort(),
  );
  const before = statSync(join(world.folder, 'desk/Price list.md')).mtimeMs;
  rmSync(join(world.folder, 'desk/_'));
  expect(await world.run('diff')).toMatchObject({ code: 0, stdout: '1 unchanged.\n' });
  expect(await world.run('pull')).toMatchObject({ code: 0, stdout: '1 unchanged.\n' });
  expect(read(world.folder, 'desk/_')).toBe('b');
  expect(statSync(join(world.folder, 'desk/Price list.md')).mtimeMs).toBe(before);
});

it('agents pull does not replace a file of another kind', async () => {
  const world = await pulledWorld();
  mkdirSync(join(world.folder, 'other'));
  await world.call('POST', '/agents', { body: { uid: world.uid, name: 'Other', key: 'other' } });
  world.edit('key: desk', 'key: gone');
  const result = await world.run('pull');
  expect(result).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('! desk (desk.yaml): Another agent has this file.'),
  });
  expect(result.stderr).toContain('desk.yaml: the service has no agent gone.\n');
  expect(read(world.folder, 'other.yaml')).toContain('name: Other\n');
});

it('agents pull leaves out knowledge that the key may not read, and agents of other users', async () => {
  const world = await newWorld(['agents']);
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { key: 'desk' } });
  const folder = newFolder();
  expect(await agents(world.apiKey, 'pull', folder)).toMatchObject({ code: 0 });
  expect(read(folder)).not.toMatch(/websites|documents/);
  const empty = join(newFolder(), 'new');
  expect(await agents((await newUser()).apiKey, 'pull', empty, '--dry-run')).toMatchObject({
    code: 0,
    stdout: 'No agents.\n',
  });
  expect(existsSync(empty)).toBe(false);
});
