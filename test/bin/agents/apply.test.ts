import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agents, formFile, newFolder, pulledWorld, read, uploadFiles, write } from '../../support/agents-tool.ts';
import { newWorld, target } from '../../support/world.ts';

it('agents diff shows what apply then does, and a second apply writes nothing', async () => {
  const world = await pulledWorld({ greeting: 'Hello', voice: 'warm', instructions: 'One.\nTwo.\nThree.\n' });
  world.edit('name: Agent', 'name: Front desk');
  world.edit('    Two.', '    2.');
  world.edit('  voice: warm\n', '');
  world.edit('websites:', '  ours:\n    queue: [1, 2]\nwebsites:');
  const expected = `~ desk (desk.yaml)
    name
      - Agent
      + Front desk
    configuration.instructions
      - Two.
      + 2.
    configuration.voice
      - warm
    configuration.ours
      + queue:
      +   - 1
      +   - 2
`;
  expect(await world.run('diff')).toMatchObject({ code: 3, stdout: `${expected}1 to update.\n` });
  expect(await world.run('apply', '--dry-run')).toMatchObject({ code: 0, stdout: `${expected}1 to update.\n` });
  expect((await world.agent()).version).toBe(2);
  expect(await world.run('apply', '--note', 'Shorter')).toMatchObject({ code: 0, stdout: `${expected}1 updated.\n` });
  expect(await world.agent()).toMatchObject({
    version: 3,
    name: 'Front desk',
    configuration: { greeting: 'Hello', instructions: 'One.\n2.\nThree.\n', ours: { queue: [1, 2] } },
  });
  expect((await world.agent()).configuration).not.toHaveProperty('voice');
  expect(read(world.folder)).toContain(`/agents/${world.agentId}/versions/3#`);
  const { mtimeMs } = statSync(join(world.folder, 'desk.yaml'));
  expect(await world.run('apply')).toMatchObject({ code: 0, stdout: '1 unchanged.\n' });
  expect(await world.run('diff')).toMatchObject({ code: 0, stdout: '1 unchanged.\n' });
  expect([await world.versions(), statSync(join(world.folder, 'desk.yaml')).mtimeMs]).toEqual([3, mtimeMs]);
});

it('agents apply clears a field that is removed from a file, whatever its name is', async () => {
  const world = await pulledWorld({ greeting: 'Hello', constructor: 'Acme', hasOwnProperty: 'x' });
  for (const line of ['constructor: Acme', 'hasOwnProperty: x']) world.edit(`  ${line}\n`, '');
  expect((await world.run('apply')).code).toBe(0);
  expect(Object.keys((await world.agent()).configuration)).toEqual(['greeting']);
  expect((await world.run('diff')).code).toBe(0);
});

it('agents in files carry the outcomes that the agent declares, and a list that is not valid is not applied', async () => {
  const outcomes = [
    { name: 'booked', value: 149.5, found: { minSeconds: 10 } },
    { name: 'do_not_call', blocks: 'set' },
  ];
  const world = await pulledWorld({ outcomes });
  expect(read(world.folder)).toContain('- name: booked\n      value: 149.5\n      found:\n        minSeconds: 10\n');
  world.edit('blocks: set', 'blocks: found');
  expect(await world.run('apply')).toMatchObject({ code: 0, stdout: expect.stringContaining('1 updated.') });
  expect((await world.agent()).configuration.outcomes[1]).toEqual({ name: 'do_not_call', blocks: 'found' });
  await world.recordCall('a');
  const answer = await world.call('PATCH', `/calls/${world.agentId}/a`, { body: { custom_call_outcome: 'lost' } });
  expect(answer.body.error).toBe('unknown_outcome');
  world.edit('name: do_not_call', 'name: Booked');
  const refused = await world.run('apply');
  expect([refused.code, refused.stdout + refused.stderr]).toEqual([2, expect.stringContaining('outcomes.1.name')]);
});

it('agents apply never overwrites an edit in between: it shows what both sides have changed', async () => {
  const world = await pulledWorld();
  await world.change({ configuration: { greeting: 'Theirs' } });
  world.edit('greeting: Hello', 'greeting: Mine');
  const refused = await world.run('apply');
  expect(refused.code).toBe(1);
  expect(
    refused.stdout,
  ).toBe(`! desk (desk.yaml): It was changed on the service, which has version 3. The file is based on version 2.
    configuration.greeting
      on the service since the version of the file:
      - Hello
      + Theirs
      in the file since its version:
      - Hello
      + Mine
1 conflict.
`);
  expect((await world.agent()).configuration.greeting).toBe('Theirs');
  expect((await world.run('diff')).code).toBe(3);
  // A file that has taken over the edit loses nothing.
  world.edit('greeting: Mine', 'greeting: Theirs');
  world.edit('voice: warm', 'voice: cold');
  expect((await world.run('apply')).code).toBe(0);
  expect((await world.agent()).configuration).toEqual({ greeting: 'Theirs', voice: 'cold' });
});

it.each([
  ['has no version', /version: .*\n/, ''],
  ['has the version of another deployment', /version: http:\/\/[^/]*/, 'version: https://other.example.com'],
  ['has the version of another agent', /agents\/\w+/, 'agents/agent_other'],
])('agents apply needs --overwrite for a file that %s', async (_, from, to) => {
  const world = await pulledWorld();
  world.edit(from, to);
  world.edit('greeting: Hello', 'greeting: Mine');
  expect((await world.run('apply')).code).toBe(1);
  expect((await world.agent()).configuration.greeting).toBe('Hello');
  expect((await world.run('apply', '--overwrite')).code).toBe(0);
  expect((await world.agent()).configuration.greeting).toBe('Mine');
  expect((await world.run('apply')).stdout).toBe('1 unchanged.\n');
});

it('agents apply creates an agent, finds it again when its version was not written, and a file belongs to two deployments', async () => {
  const world = await newWorld();
  const folder = newFolder();
  write(folder, formFile('desk', 'version: https://other.example.com/agents/agent_1/versions/7\n'));
  expect(await agents(world.apiKey, 'apply', folder)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('The version of the file is of another deployment.'),
  });
  expect((await agents(world.apiKey, 'apply', folder, '--overwrite')).code).toBe(0);
  const { body } = await world.call('GET', '/agents', { query: { uid: world.uid, key: 'desk' } });
  const [{ agentId, version }] = body.agents;
  expect(version).toBe(1);
  expect(read(folder)).toContain(
    `version:\n  - https://other.example.com/agents/agent_1/versions/7\n  - ${target.baseUrl}/agents/${agentId}/versions/1\n`,
  );
  write(folder, formFile('desk'));
  expect(await agents(world.apiKey, 'apply', folder)).toMatchObject({ code: 0, stdout: '1 unchanged.\n' });
  expect(read(folder)).toContain(`version: ${target.baseUrl}/agents/${agentId}/versions/1\n`);
  await world.call('DELETE', `/agents/${agentId}`);
  expect(await agents(world.apiKey, 'apply', folder)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`No agent of the service has this key: ${agentId} was deleted`),
  });
});

it('agents apply deletes agents without a file only with --prune, and only those that a file of the folder has named', async () => {
  const world = await pulledWorld();
  const add = async (body: object) =>
    (await world.call('POST', '/agents', { body: { uid: world.uid, name: 'x', ...body } })).body.agentId;
  const kept = await add({});
  write(world.folder, formFile('gone'), 'gone.yaml');
  expect((await world.run('apply')).code).toBe(0);
  rmSync(join(world.folder, 'gone.yaml'));
  const [gone] = (await world.call('GET', '/agents', { query: { uid: world.uid, key: 'gone' } })).body.agents.map(
    (one: { agentId: string }) => one.agentId,
  );
  const ids = async () =>
    (await world.call('GET', '/agents', { query: { uid: world.uid } })).body.agents.map(
      (one: { agentId: string }) => one.agentId,
    );
  expect(await world.run('diff')).toMatchObject({
    code: 0,
    stderr: 'gone has no file, and is not deleted without --prune.\n',
  });
  expect((await world.run('apply')).code).toBe(0);
  expect(await world.run('diff', '--prune')).toMatchObject({
    code: 3,
    stdout: '- gone\n1 unchanged, 1 to delete.\n',
  });
  expect(await ids()).toEqual([world.agentId, gone, kept].sort());
  expect(await world.run('apply', '--prune')).toMatchObject({ code: 0, stdout: '- gone\n1 unchanged, 1 deleted.\n' });
  expect(await ids()).toEqual([world.agentId, kept].sort());
  // A guest may not give the agent a key, but another folder or the console may.
  await world.call('PATCH', `/agents/${kept}`, { body: { key: 'others' } });
  expect(await world.run('apply', '--prune')).toMatchObject({
    code: 0,
    stdout: '1 unchanged.\n',
    stderr: 'others has no file, and is not deleted: no file of this folder has named it.\n',
  });
  expect(await ids()).toEqual([world.agentId, kept].sort());
  const empty = newFolder();
  expect(await agents(world.apiKey, 'apply', empty, '--prune')).toMatchObject({
    code: 2,
    stderr: `${empty} has no file that ends in .yaml.\n`,
  });
});

it('agents apply continues after an agent that fails, and names it', async () => {
  const world = await pulledWorld();
  write(world.folder, formFile('big').replace('{}', `{ a: "${'x'.repeat(150_000)}" }`), 'big.yaml');
  write(
    world.folder,
    formFile('website', 'websites:\n  - url: https://example.com\n    includePaths: ["("]\n'),
    'a.yaml',
  );
  const result = await world.run('apply', '--json');
  expect(result.code).toBe(1);
  expect(JSON.parse(result.stdout).agents).toMatchObject([
    { key: 'website', file: 'a.yaml', action: 'failed', message: expect.stringContaining('includePaths') },
    { key: 'big', action: 'create', version: 1 },
    { key: 'desk', action: 'none', version: 2, differences: [] },
  ]);
});

const listed = async (world: Awaited<ReturnType<typeof pulledWorld>>) => {
  const query = { uid: world.uid, agentId: world.agentId, content: 'false' };
  const { websites } = (await world.call('GET', '/agent-websites', { query })).body;
  const { documents } = (await world.call('GET', '/agent-documents', { query })).body;
  return {
    websites: websites.map(({ url, limit, active, name }: Record<string, unknown>) => ({ url, limit, active, name })),
    documents: documents.map(({ name, size, active }: Record<string, unknown>) => [name, size, active]),
  };
};

it('knowledge of agents as files is added, changed and removed, and documents are uploaded when their checksum differs', async () => {
  const world = await pulledWorld();
  mkdirSync(join(world.folder, 'texts'));
  writeFileSync(join(world.folder, 'texts/hours.md'), '# Nine to five');
  writeFileSync(join(world.folder, 'texts/large.txt'), 'All work and no play.'.padEnd(5_500_000));
  world.edit(
    'websites: []',
    'websites:\n  # the main one\n  - url: https://example.com/\n  - url: https://example.org/\n    limit: 3\n    name: Shop\n    active: false',
  );
  world.edit(
    'documents: []',
    'documents:\n  - path: texts/hours.md # daily\n  - path: texts/large.txt\n    name: Large\n    active: false',
  );
  expect(await world.run('apply')).toMatchObject({ code: 0, stdout: expect.stringContaining('1 updated.') });
  expect(await listed(world)).toEqual({
    websites: [
      { url: 'https://example.com/', limit: 5, active: true, name: 'example.com' },
      { url: 'https://example.org/', limit: 3, active: false, name: 'Shop' },
    ],
    documents: [
      ['hours.md', 14, true],
      ['Large', 5_500_000, false],
    ],
  });
  expect(read(world.folder)).toMatch(/documents:\n {2}- path: texts\/hours.md # daily\n {4}md5: [0-9a-f]{32}\n/);
  expect((await world.agent()).version).toBe(2);
  expect(await world.run('apply')).toMatchObject({ code: 0, stdout: '1 unchanged.\n' });
  expect(await world.run('pull')).toMatchObject({ code: 0, stdout: '1 unchanged.\n' });

  writeFileSync(join(world.folder, 'texts/hours.md'), '# Nine to six!');
  world.edit('    limit: 3\n    name: Shop\n    active: false', '    limit: 4');
  world.edit(/ {2}- path: texts\/large.txt[\s\S]*/, '');
  expect((await world.run('apply')).code).toBe(0);
  expect(await listed(world)).toEqual({
    websites: [
      { url: 'https://example.com/', limit: 5, active: true, name: 'example.com' },
      { url: 'https://example.org/', limit: 4, active: true, name: 'example.org' },
    ],
    documents: [['hours.md', 14, true]],
  });
  expect(await world.run('apply')).toMatchObject({ code: 0, stdout: '1 unchanged.\n' });
  expect(read(world.folder)).toContain('  # the main one\n  - url: https://example.com/\n');
});

it('agents apply keeps knowledge that somebody has added to the service, unless it has --overwrite', async () => {
  const world = await pulledWorld();
  await uploadFiles(world, { 'Theirs.txt': 'Theirs' });
  expect(await world.run('diff')).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(
      /^! desk \(desk\.yaml\): It was changed on the service, in its websites or documents\.\n {4}documents\.Theirs\.txt\n {6}on the service since [^:]+:\n {6}\+ name: Theirs\.txt\n.*\n {6}in the file since its version:\n {6}\(unchanged\)\n1 conflict\.\n$/,
    ),
  });
  writeFileSync(join(world.folder, 'mine.txt'), 'Mine');
  world.edit('documents: []', 'documents:\n  - path: mine.txt');
  expect(await world.run('apply')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('documents.Theirs.txt'),
  });
  expect((await listed(world)).documents.length).toBe(1);
  // A file without documents leaves them alone.
  world.edit(/documents:[\s\S]*/, '');
  expect(await world.run('apply')).toMatchObject({ code: 0, stdout: '1 unchanged.\n' });
  expect((await listed(world)).documents.length).toBe(1);
  expect((await world.run('pull', '--overwrite')).code).toBe(0);
  write(world.folder, `${read(world.folder)}documents:\n  - path: mine.txt\n`);
  expect((await world.run('apply', '--overwrite')).code).toBe(0);
  expect((await listed(world)).documents.map(([name]: string[]) => name)).toEqual(['mine.txt']);
});
