import { expect, it } from 'vitest';
import { newApiKey } from '../../../functions/domain/api-keys.ts';
import { apiKeys } from '../../../functions/store/api-keys.ts';
import { agents, formFile, newFolder, pulledWorld, read, write } from '../../support/agents-tool.ts';
import { upload } from '../../support/knowledge.ts';
import { makeWebsites, newFolder as newSiteFolder } from '../../support/websites.ts';
import { newWorld } from '../../support/world.ts';

const page = (text: string) => `<html><title>Hours</title><body><main><p>${text}</p></main></body></html>`;

/** A user with an agent that knows two documents and a website, whose address redirects. */
const knowingWorld = async () => {
  const world = await newWorld();
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { key: 'desk' } });
  await upload(world, {
    'prices.txt': 'A check-up costs 80 EUR. A cleaning costs 95 EUR.',
    'old prices.txt': 'A check-up cost 60 EUR last year.',
  });
  const site = newSiteFolder();
  await site.put('', { status: 302, headers: { location: site.at('hours') } });
  await site.put('hours', page('The practice is open on Sundays from ten to four.'));
  const websites = makeWebsites(world);
  await websites.settled((await websites.add(site.url, { name: 'Practice' })).body.websiteId);
  const folder = newFolder();
  const test = (tests: object[], ...flags: string[]) => {
    write(folder, formFile('desk', `tests: ${JSON.stringify(tests)}\n`));
    return agents(world.apiKey, 'test', folder, ...flags);
  };
  return { ...world, folder, site, test };
};

it('agents test passes for a source by its name, by the address of a page or of the website, and for a text', async () => {
  const { test, site } = await knowingWorld();
  const ask = 'Open on Sundays?';
  const { code, stdout, stderr } = await test([
    { ask, expect: { source: 'Practice', contains: 'from ten to four' } },
    { ask, expect: { source: site.at('hours') } },
    { ask, expect: { source: site.url } },
    { ask: 'What does a cleaning cost?', expect: { contains: '95 EUR', within: 1 } },
  ]);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '4 tests: 4 passed, 0 failed.\n', stderr: '' });
});

it('agents test fails for a source and a text of two passages, another case, and a passage that comes later', async () => {
  const { test } = await knowingWorld();
  const ask = 'What did a check-up cost last year?';
  const { code, stdout } = await test([
    { ask, expect: { source: 'prices.txt', contains: '60 EUR' } },
    { ask, expect: { contains: '80 eur' } },
    { ask, expect: { source: 'prices.txt', within: 1 } },
    { ask, expect: { source: 'prices.txt', within: 2 } },
    { ask: 'Xylophone', expect: { source: 'prices.txt' } },
  ]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^! desk \(desk\.yaml\)\n {4}What did a check-up cost last year\?\n/);
  expect(stdout).toContain(`
      Expected within 3 passages: one from prices.txt that contains "60 EUR".
      The search found:
      1. old prices.txt
           A check-up cost 60 EUR last year.
      2. prices.txt
           A check-up costs 80 EUR. A cleaning costs 95 EUR.
`);
  expect(stdout).toContain('Expected within 3 passages: one that contains "80 eur".\n');
  expect(stdout).toContain('Expected within 1 passage: one from prices.txt.\n');
  expect(stdout).toContain(
    '    Xylophone\n      Expected within 3 passages: one from prices.txt.\n      The search found nothing.',
  );
  expect(stdout).not.toContain('within 2');
  expect(stdout).toMatch(/\n5 tests: 1 passed, 4 failed\.\n$/);
});

it('agents test --json prints each test with the passages that came, and control characters of a passage reach no terminal', async () => {
  const world = await newWorld();
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { key: 'desk' } });
  await upload(world, { 'a.txt': 'Parking is \u202Ebehind\u202C the house.' });
  const folder = newFolder();
  write(folder, formFile('desk', 'tests:\n  - ask: Where is the parking?\n    expect: { contains: garage }\n'));
  const printed = await agents(world.apiKey, 'test', folder);
  expect(printed.stdout).toContain('Parking is \uFFFDbehind\uFFFD the house.');
  const { code, stdout } = await agents(world.apiKey, 'test', folder, '--json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    agents: [
      {
        ...{ key: 'desk', file: 'desk.yaml', action: 'failed' },
        tests: [
          {
            ...{ ask: 'Where is the parking?', expect: { contains: 'garage', within: 3 }, passed: false },
            passages: [expect.objectContaining({ name: 'a.txt', text: expect.stringContaining('Parking is') })],
            searched: expect.objectContaining({ sources: 1 }),
          },
        ],
      },
    ],
  });
});

it('agents test fails for an agent that the service does not have, and for a key that may not search, and runs the other tests', async () => {
  const { test, folder, uid } = await knowingWorld();
  write(folder, formFile('gone', 'tests: [{ ask: Hours, expect: { contains: a } }]\n'), 'gone.yaml');
  const tests = [{ ask: 'check-up', expect: { contains: '80 EUR' } }];
  const { code, stdout } = await test(tests);
  expect([code, stdout]).toEqual([
    1,
    '! gone (gone.yaml): The service has no agent with this key.\n1 test: 1 passed, 0 failed. Not tested: 1 agent.\n',
  ]);
  const { secret } = await apiKeys.get().create(uid, { name: 'agents', scopes: ['agents'] });
  const refused = await agents(secret, 'test', folder);
  expect([refused.code, refused.stdout]).toEqual([1, expect.stringMatching(/^! desk \(desk\.yaml\): .*knowledge/)]);
});

it.each([
  [
    'a test without an expectation',
    'tests: [{ ask: Hours, expect: {} }]',
    'tests.0.expect: must have source or contains',
  ],
  [
    'a misspelled field',
    'tests: [{ ask: Hours, expect: { contains: a, witin: 2 } }]',
    'tests.0.expect: has unknown fields: witin',
  ],
  [
    'too many passages',
    'tests: [{ ask: Hours, expect: { contains: a, within: 21 } }]',
    'tests.0.expect.within: must be at most 20',
  ],
  ['another shape', 'tests: { unit: true }', 'tests: must be an array'],
])('agents test refuses %s before anything is sent, and names the file', async (_, tests, message) => {
  const folder = newFolder();
  write(folder, formFile('desk', `${tests}\n`));
  const { code, stdout, stderr } = await agents(newApiKey(), 'test', folder, '--base-url', 'http://127.0.0.1:1');
  expect([code, stdout, stderr]).toEqual([2, '', `desk.yaml: ${message}.\n`]);
});

it('agents test refuses a folder without tests', async () => {
  const folder = newFolder();
  write(folder, formFile('desk', 'tests: []\n'));
  const { code, stderr } = await agents(newApiKey(), 'test', folder, '--base-url', 'http://127.0.0.1:1');
  expect([code, stderr]).toEqual([2, `${folder} has no file with tests.\n`]);
});

it('agents apply and pull keep the tests of a file, in whatever shape, and send nothing of them', async () => {
  const world = await pulledWorld();
  const tests = '# Ours.\ntests: { unit: true }\n';
  write(world.folder, `${read(world.folder)}${tests}`);
  world.edit('greeting: Hello', 'greeting: Good morning');
  expect(await world.run('apply')).toMatchObject({ code: 0, stderr: '' });
  await world.change({ configuration: { greeting: 'Good evening' } });
  expect(await world.run('pull')).toMatchObject({ code: 0, stderr: '' });
  expect(read(world.folder)).toContain(tests);
  expect(await world.agent()).not.toHaveProperty('tests');
});
