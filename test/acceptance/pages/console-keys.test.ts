import { expect, it } from 'vitest';
import { apiKeys } from '../../../functions/store/api-keys.ts';
import { until } from '../../support/until.ts';
import { call, newUser, newWorld, target } from '../../support/world.ts';
import { findViolations, useBrowser } from './browser.ts';
import { choose, openConsole, shown } from './open-console.ts';

useBrowser();

it('“Make a key for the website that may only read calls, replace it, and later end it.”', async () => {
  const { apiKey, uid } = await newUser(['calls', 'agents', 'keys']);
  const { page, complaints } = await openConsole(apiKey, '/console/keys');
  await page.getByText('(this key)').waitFor();
  await page.getByRole('button', { name: 'Create a key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('website');
  // Only what the present key may do itself can be given.
  expect(await dialog.getByRole('checkbox').count()).toBe(2);
  await dialog.getByLabel('Agents').uncheck();
  await dialog.getByRole('button', { name: 'Create the key' }).dblclick();
  const secret = (await page.getByLabel('Secret', { exact: true }).textContent()) ?? '';
  expect((await call('GET', '/key', { apiKey: secret })).body).toMatchObject({ name: 'website', scopes: ['calls'] });
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Done' }).click();
  // A double click made one key.
  expect((await call('GET', '/keys', { apiKey, query: { uid } })).body.keys).toHaveLength(2);
  await page.getByRole('link', { name: 'website' }).click();
  await page.getByRole('button', { name: 'Rotate' }).click();
  await page.getByRole('button', { name: 'Rotate the key' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  const { keys } = (await call('GET', '/keys', { apiKey, query: { uid } })).body;
  const end = `time[datetime="${keys.find(({ status }: { status: string }) => status === 'ending').endsAt}"]`;
  const former = page.getByRole('row', { name: /^website .* Ends soon/ });
  await former.locator(end).waitFor();
  await former.getByRole('link').click();
  await page.getByRole('dialog').locator(end).waitFor();
  // The service rotates a key once.
  expect(await page.getByRole('button', { name: 'Rotate' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('textbox').fill('website');
  await page.getByRole('button', { name: 'Revoke the key' }).click();
  await page.getByRole('row', { name: /^website .* Revoked/ }).waitFor();
  expect((await call('GET', '/key', { apiKey: secret })).status).toBe(401);
  expect(complaints).toEqual([]);
});

it('“How many requests may this key make, and how many did it make?”', async () => {
  const { apiKey, uid } = await newUser(['calls', 'keys']);
  const { page, complaints } = await openConsole(apiKey, '/console/keys');
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByLabel('Name').fill('script');
  await page.getByLabel('Requests per minute').fill('600');
  await page.getByRole('button', { name: 'Create the key' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  await page
    .getByRole('row', { name: /^script .* 600 / })
    .getByRole('link')
    .click();
  await page.getByRole('button', { name: 'Change' }).click();
  await page.getByLabel('Requests per minute').fill('500');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('500 a minute').waitFor();
  const body = { uid, requestsPerMinute: 300 };
  const own = (await call('GET', '/key', { apiKey })).body.keyId;
  expect((await call('PATCH', `/keys/${own}`, { apiKey, body })).status).toBe(200);
  await page.goto(`${target.baseUrl}/console/keys?keyId=${own}`);
  await page.getByText('300 a minute').waitFor();
  await page.getByText(/^Used in the last minute: [1-9]/).waitFor();
  expect(complaints).toEqual([]);
});

it('“Set up a new client with a key, see what its agents did, and suspend it.”', async () => {
  const maker = await newUser(['users']);
  const { page, complaints } = await openConsole(maker.apiKey, '/console');
  await page.getByText('You have no client yet').waitFor();
  await page.getByRole('button', { name: 'New client' }).click();
  await page.getByLabel('Name').fill('Northside Dental');
  await page.getByLabel('Agent limit').fill('3');
  await page.getByLabel('Amount').fill('50');
  await page.getByLabel('Currency').fill('usd');
  await page.getByRole('button', { name: 'Create the client' }).click();
  await page.getByText('It must be three capital letters, or credits.').waitFor();
  await page.getByLabel('Currency').fill('USD');
  await page.getByLabel('When it is spent').selectOption('Outbound calls are refused until the period ends');
  await page.getByRole('button', { name: 'Create the client' }).click();
  await page.getByRole('heading', { name: 'Northside Dental' }).waitFor();
  await page.getByText('0% of $50.00').waitFor();
  await page.getByText('Outbound calls are refused until the period ends').waitFor();
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('front desk');
  await page.getByRole('button', { name: 'Create the key' }).click();
  const apiKey = (await page.getByLabel('Secret', { exact: true }).textContent()) ?? '';
  const { uid } = (await call('GET', '/key', { apiKey })).body;
  await page.getByRole('button', { name: 'Done' }).click();
  const agent = await call('POST', '/agents', { apiKey, body: { uid, name: 'Reception' } });
  expect(agent.status).toBe(200);
  await page.getByRole('link', { name: 'All clients' }).click();
  await page.reload();
  await page.getByRole('row', { name: /^Northside Dental Active 1 of 3 0 none before/ }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page
    .getByRole('table', { name: 'Clients', exact: true })
    .getByRole('link', { name: 'Northside Dental' })
    .click();
  // “Open its console”: a key for an hour, in a new tab that says whose it is.
  await page.getByRole('button', { name: 'Open its console' }).click();
  await page.getByRole('button', { name: 'Make the key' }).click();
  const [opened] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('button', { name: 'Open the console', exact: true }).click(),
  ]);
  await opened.getByText('This is the console of Northside Dental').waitFor();
  await opened.getByRole('link', { name: 'Agents', exact: true }).click();
  await opened.getByRole('link', { name: 'Reception' }).waitFor();
  expect(await findViolations(opened)).toEqual([]);
  await opened.close();
  await page.reload();
  await page.getByRole('row', { name: /^Console, by .* Active/ }).waitFor();
  const { changes } = (await call('GET', '/changes', { apiKey: maker.apiKey, query: { uid: maker.uid, kind: 'key' } }))
    .body;
  expect(changes.length).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Suspend' }).click();
  expect((await call('GET', '/key', { apiKey })).status).toBe(200);
  await page.getByRole('button', { name: 'Suspend Northside Dental' }).click();
  await page.getByText('Every request with a key of the client is refused.').waitFor();
  expect((await call('GET', '/key', { apiKey })).status).toBe(403);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Suspend' }).waitFor();
  expect((await call('GET', '/key', { apiKey })).status).toBe(200);
  // The budget in small letters was refused.
  expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
});

it('Escape does not drop what was typed without a question, and the first field of a dialog has the focus', async () => {
  const world = await newWorld();
  const { page } = await openConsole(world.apiKey, '/console/numbers');
  await page.getByRole('button', { name: 'Block numbers' }).click();
  const numbers = page.getByRole('textbox', { name: 'Numbers' });
  await expect.poll(() => numbers.evaluate((element) => element.matches(':focus'))).toBe(true);
  await page.keyboard.type('+14155550100');
  await page.keyboard.press('Escape');
  await page.getByText('What you typed is not saved.').waitFor();
  await page.getByRole('button', { name: 'Continue' }).click();
  expect(await numbers.inputValue()).toBe('+14155550100');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard it' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

it('an agent of many is found by a part of its name', async () => {
  const world = await newWorld();
  await world.call('POST', '/agents', { body: { uid: world.uid, name: 'Northside new patients' } });
  const { page } = await openConsole(world.apiKey, '/console/knowledge');
  // The first agent is chosen once the agents are read.
  await expect.poll(() => page.getByRole('combobox', { name: 'Agent' }).inputValue()).not.toBe('');
  await page.getByRole('combobox', { name: 'Agent' }).click();
  await page.keyboard.type('patients north');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('combobox', { name: 'Agent' }).inputValue()).toBe('Northside new patients');
  await page.getByRole('combobox', { name: 'Agent' }).fill('nobody');
  await page.getByText('Nothing has this name.').waitFor();
  await page.keyboard.press('Escape');
  expect(await page.getByRole('combobox', { name: 'Agent' }).inputValue()).toBe('Northside new patients');
  await choose(page, 'Agent', 'Agent');
  expect(page.url()).toContain(world.agentId);
});

it.each([
  ['mouse and screen', 1280, 720],
  ['phone', 360, 640],
])('every element that the Tab key reaches is visible and not covered, on a %s', async (_, width, height) => {
  const world = await newWorld();
  await world.recordCall('call-1');
  const { secret } = await apiKeys.get().create(world.uid, { name: 'every view' });
  const agent = `/console/agents?agentId=${world.agentId}`;
  const { page } = await openConsole(secret, agent, { viewport: { width, height } });
  const hidden: string[] = [];
  const walk = async (path: string) => {
    // The page begins again after its last element.
    for (let tabs = 0; tabs < 120; tabs++) {
      await page.keyboard.press('Tab');
      const found = await page.evaluate(`(() => {
        const element = document.activeElement;
        if (!element || element === document.body || element.dataset.walked) return 'end';
        element.dataset.walked = 'yes';
        const { left, top, right, bottom } = element.getBoundingClientRect();
        const [x, y] = [Math.max(0, left) + Math.min(right, innerWidth), Math.max(0, top) + Math.min(bottom, innerHeight)];
        const over = document.elementFromPoint(x / 2, y / 2);
        const isSeen = over && (element.contains(over) || over.contains(element) || [...(element.labels ?? [])].includes(over));
        return isSeen ? '' : element.tagName + ' ' + (element.labels?.[0]?.textContent ?? element.textContent).slice(0, 40);
      })()`);
      if (found === 'end') break;
      if (found) hidden.push(`${path}: ${found}`);
    }
  };
  await page.getByLabel('Greeting').fill('Changed, so that there is something to save');
  await page.evaluate('document.activeElement.blur()');
  await walk(agent);
  for (const path of ['/console/calls', '/console/numbers', '/console/knowledge', '/console?period=7-days']) {
    await page.goto(target.baseUrl + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await shown(page);
    await walk(path);
  }
  expect(hidden).toEqual([]);
});

it('“Who changed the greeting, and how?”', async () => {
  const { apiKey, uid } = await newUser(['agents', 'block-list', 'changes']);
  const numbers = Array.from({ length: 200 }, (_, index) => `+1415555${String(index).padStart(4, '0')}`);
  await call('POST', '/block-list', { apiKey, body: { uid, numbers } });
  const { body: agent } = await call('POST', '/agents', { apiKey, body: { uid, name: 'Front desk' } });
  const body = { configuration: { greeting: 'Good morning!' } };
  expect((await call('PATCH', `/agents/${agent.agentId}`, { apiKey, body })).status).toBe(200);
  await until(async () => {
    const { changes } = (await call('GET', '/changes', { apiKey, query: { uid } })).body;
    return changes[0]?.action === 'agent.updated' && changes.length > 3;
  });
  const { page, complaints } = await openConsole(apiKey, '/console/changes');
  await page.getByRole('row', { name: /^You created .*Front desk/ }).waitFor();
  // The entries of one request are one row.
  await page.getByRole('row', { name: /^You blocked 200 numbers for all agents .* API$/ }).waitFor();
  await page.getByRole('row', { name: /^You changed Greeting of .*Front desk · version 2 .* API$/ }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('link', { name: /^changed Greeting of/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Version 2' });
  await dialog.getByText('Good morning!').first().waitFor();
  expect(complaints).toEqual([]);
});

it('“Let Northside use our front desk, and later end it.”', async () => {
  const maker = await newUser(['users']);
  const newClient = async (name: string) =>
    (await call('POST', '/users', { apiKey: maker.apiKey, body: { name } })).body.uid as string;
  const [uid, guest] = [await newClient('Owner'), await newClient('Northside')];
  const body = { uid, name: 'console', scopes: ['agents'] };
  const { secret: apiKey } = (await call('POST', '/keys', { apiKey: maker.apiKey, body })).body;
  const { agentId } = (await call('POST', '/agents', { apiKey, body: { uid, name: 'Front desk' } })).body;
  const { page } = await openConsole(apiKey, `/console/agents?agentId=${agentId}`);
  await page.getByRole('link', { name: 'Access' }).click();
  await page.getByText('This agent is shared with nobody').waitFor();
  await page.getByLabel('User ID of the guest').fill('nobody');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await page.getByLabel('User ID of the guest').fill(guest);
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: `${guest} Northside` }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: `End access of ${guest}` }).click();
  await page.getByText('This agent is shared with nobody').waitFor();
  expect((await call('GET', `/agents/${agentId}/access`, { apiKey, query: { uid } })).body.access).toEqual([]);
});
