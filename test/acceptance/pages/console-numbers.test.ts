import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { apiKeys } from '../../../functions/store/api-keys.ts';
import { newWorld, type World } from '../../support/world.ts';
import { findViolations, useBrowser } from './browser.ts';
import { choose, openConsole } from './open-console.ts';

useBrowser();

const open = ({ apiKey }: World, path = '/console/numbers') => openConsole(apiKey, path);
const blockForAll = (world: World, numbers: string[], reason?: string) =>
  world.call('POST', '/block-list', { body: { uid: world.uid, numbers, reason } });
const lookUp = async (page: Page, number: string) => {
  await page.getByLabel('Look up a number').fill(number);
  await page.keyboard.press('Enter');
};
const text = (page: Page) => page.getByRole('main').innerText();

const file = ['number,reason', '+14155550151,Registry', '12345,', '+14155550152,', 'nobody,', ''].join('\n');
const chooseFile = async (page: Page, content: string) => {
  await page.getByRole('button', { name: 'Import a file' }).click();
  const buffer = Buffer.from(content);
  await page.getByLabel('File', { exact: true }).setInputFiles({ name: 'numbers.csv', mimeType: 'text/csv', buffer });
};

it('why was +1 415 555 0100 rejected? The look-up names the lists that block it, and the reasons', async () => {
  const world = await newWorld();
  await blockForAll(world, ['+14155550100'], 'Asked not to be called');
  await world.block(['+14155550100'], { reason: 'Insulted the agent' });
  await world.call('POST', '/agents', { body: { uid: world.uid, name: 'Evening shift' } });
  const { page, complaints } = await open(world);
  await lookUp(page, '+1 (415) 555-0100');
  await page.getByText('Insulted the agent').waitFor();
  expect(await text(page)).toMatch(/Blocked for all agents\s+Reason\s+Asked not to be called/);
  expect(await text(page)).toMatch(/Blocked for Agent\s+Reason\s+Insulted the agent\s+Blocked\s+.+\s+By\s+You/);
  await page.reload();
  await page.getByText('Insulted the agent').waitFor();
  const calls = page.getByRole('link', { name: 'Calls with +14155550100' }).first();
  expect(await calls.getAttribute('href')).toContain('phone=%2B14155550100');
  expect(complaints).toEqual([]);
});

it('is +1 415 555 0199 blocked? No: and it can be blocked at once, with a reason', async () => {
  const world = await newWorld();
  const { page } = await open(world);
  await lookUp(page, '+14155550199');
  await page.getByText('Not blocked').waitFor();
  await page.getByRole('button', { name: 'Block +14155550199' }).click();
  await page.getByLabel('Reason').fill('Silent calls');
  await page.getByRole('button', { name: 'Block', exact: true }).click();
  await page.getByRole('dialog').getByText('+14155550199 is blocked.').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('Blocked for all agents', { exact: true }).waitFor();
  const { body } = await world.call('GET', '/block-list', { query: { uid: world.uid } });
  expect(body.entries).toMatchObject([{ number: '+14155550199', reason: 'Silent calls' }]);
});

it('looking up a text that is not a number explains the format of numbers', async () => {
  const world = await newWorld();
  const { page } = await open(world);
  await lookUp(page, '5550100');
  await page.getByText('This is not a phone number in international format').waitFor();
});

it('block these numbers for every agent until a day: those that cannot be blocked are named with the reason', async () => {
  const world = await newWorld();
  await blockForAll(world, ['+14155550101']);
  const { page } = await open(world);
  await page.getByRole('button', { name: 'Block numbers' }).click();
  await page.getByRole('textbox', { name: 'Numbers' }).fill('+1 415 555 0100\n+14155550101\n0815');
  await page.getByLabel('Last day').fill('2099-05-31');
  await page.getByRole('button', { name: 'Block', exact: true }).click();
  const failed = page.getByRole('table', { name: 'Numbers that were not blocked' });
  await failed.getByRole('row', { name: '+14155550101 Number already in block list' }).waitFor();
  await failed.getByRole('row', { name: '0815 Add + and the country code at the start' }).waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('cell', { name: '+1 (415) 555-0100', exact: true }).waitFor();
  const { body } = await world.call('GET', '/block-list', { query: { uid: world.uid } });
  // The day ends in the time zone of the page.
  expect(body.entries[0].expiresAt).toBe('2099-05-31T22:00:00.000Z');
});

it('a number is unblocked by keyboard only', async () => {
  const world = await newWorld();
  await world.block(['+14155550100'], { reason: 'By mistake' });
  const { page } = await open(world);
  await choose(page, 'Agent', 'Agent');
  const button = page.getByRole('button', { name: 'Unblock +14155550100' });
  await button.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Unblock +14155550100?' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => button.evaluate((element) => element.matches(':focus'))).toBe(true);
  await button.press('Enter');
  await page.getByRole('button', { name: 'Unblock', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('No number is blocked for Agent').waitFor();
  expect((await world.blockList()).entries).toEqual([]);
});

it('import a file: its progress and the lines that failed are shown, and later found in the list of imports', async () => {
  const world = await newWorld();
  const { page, complaints } = await open(world);
  await chooseFile(page, file);
  await page.getByLabel('Reason', { exact: true }).fill('Imported');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Import' });
  await dialog.getByText('Done').waitFor();
  const lines = dialog.getByRole('table', { name: 'Lines that failed' });
  await lines.getByRole('row', { name: '3 12345 Add + and the country code at the start' }).waitFor();
  await lines.getByRole('row', { name: '5 nobody Write the number' }).waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL((url) => !url.searchParams.has('importId'));
  await page.getByRole('row', { name: /^\+1 \(415\) 555-0152 Imported/ }).waitFor();
  await page.reload();
  const imports = page.getByRole('table', { name: 'Imports' });
  await imports
    .getByRole('row', { name: /Done 4 2 2$/ })
    .getByRole('link')
    .click();
  await lines.getByRole('row', { name: '3 12345' }).waitFor();
  expect(complaints).toEqual([]);
});

it('import our own sheet: its rows are shown first, and its columns and the country of its numbers are chosen', async () => {
  const world = await newWorld();
  const { page, complaints } = await open(world);
  await chooseFile(page, 'Name;Phone;Comment\n"Doe, Jo";030 1234567;Rude\nRoe;+14155550161;\n');
  const rows = page.getByRole('table', { name: 'The first rows of the file' });
  await rows.getByRole('row', { name: 'Doe, Jo 030 1234567 Rude' }).waitFor();
  // The column with numbers is chosen already.
  expect(await page.getByLabel('Column of numbers').inputValue()).toBe('Phone');
  await page.getByLabel('Column of reasons').selectOption('Comment');
  await choose(page, 'Country', 'Germany');
  await page.getByLabel('Last day').fill('2099-05-31');
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('dialog', { name: 'Import' }).getByText('Every line was imported.').waitFor();
  const { body } = await world.call('GET', '/block-list', { query: { uid: world.uid } });
  const expiresAt = '2099-05-31T22:00:00.000Z';
  expect(
    body.entries.toSorted((a: { number: string }, b: { number: string }) => (a.number < b.number ? -1 : 1)),
  ).toMatchObject([
    { number: '+14155550161', expiresAt },
    { number: '+49301234567', reason: 'Rude', expiresAt },
  ]);
  expect(complaints).toEqual([]);
});

it('import what a program exported, with a title: the console finds the headings and the numbers, and says which lines it cannot read', async () => {
  const world = await newWorld();
  const { page, complaints } = await open(world);
  const title = '"Do not call, Northside";;;\nExported 27.11.2026;;;\n\n';
  const rows = ['10001;Doe;+14155550171;Rude', '10002;Roe;+14155550172;', '10003;Poe;nobody;'];
  await chooseFile(page, `${title}Kd-Nr;Name;Telefon;Grund\n${rows.join('\n')}\n`);
  await page.getByText('2 lines can be read, 1 cannot.').waitFor();
  await page.getByRole('row', { name: '7 nobody Write the number' }).waitFor();
  expect(await page.getByLabel('The headings are in').inputValue()).toBe('4');
  expect(await page.getByLabel('Column of numbers').inputValue()).toBe('Telefon');
  await page.getByLabel('Column of reasons').selectOption('Grund');
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Import' });
  await dialog.getByText('Done').waitFor();
  await dialog
    .getByRole('table', { name: 'Lines that failed' })
    .getByRole('row', { name: '7 nobody Write the number' })
    .waitFor();
  const { body } = await world.call('GET', '/block-list', { query: { uid: world.uid } });
  expect(body.entries.map(({ number }: { number: string }) => number).toSorted()).toEqual([
    '+14155550171',
    '+14155550172',
  ]);
  expect(complaints).toEqual([]);
});

it('a file that cannot be imported says why', async () => {
  const world = await newWorld();
  const { page } = await open(world);
  await chooseFile(page, 'phone,phone\n+14155550100,+14155550101\n');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('dialog', { name: 'Import' }).getByText('several columns "phone"').waitFor();
  await page.getByRole('dialog', { name: 'Import' }).getByText('Failed').first().waitFor();
});

it('may I call 030 1234567? The agent’s rules, the consents with their proofs, and what is typed as in the page’s country', async () => {
  const world = await newWorld();
  const configuration = { calling: { consent: { purpose: 'marketing' } } };
  expect((await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration } })).status).toBe(200);
  const { page, complaints } = await open(world);
  await lookUp(page, '030 1234567');
  await page.getByRole('heading', { name: '+49301234567', level: 1 }).waitFor();
  const checks = page.getByRole('table', { name: 'May it be called now?' });
  await checks.getByRole('row', { name: 'Agent No No consent to marketing Consent to marketing' }).waitFor();
  await page.getByRole('button', { name: 'Record a consent' }).click();
  const dialog = page.getByRole('dialog', { name: 'Record a consent' });
  expect(await dialog.getByRole('combobox', { name: 'Purpose' }).inputValue()).toBe('marketing');
  await dialog.getByLabel('Said at').fill('2026-01-15T10:00');
  await dialog.getByLabel('Proof').selectOption('Website');
  await dialog.getByLabel('What was said or shown').fill('Call me about offers.');
  expect(await findViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Record the consent' }).click();
  await checks.getByRole('row', { name: 'Agent Yes Consent to marketing' }).waitFor();
  const history = page.getByRole('table', { name: 'History of consents' });
  await history
    .getByRole('row', { name: /^Jan 15,( 2026,)? 10:00 AM marketing Given Website: “Call me about offers.”/ })
    .waitFor();
  await page.getByRole('button', { name: 'Revoke a consent' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
  await checks.getByRole('row', { name: 'Agent No The consent to marketing is revoked' }).waitFor();
  const { body } = await world.call('GET', '/consents', { query: { uid: world.uid, number: '+49301234567' } });
  expect(body.consents).toMatchObject([
    { purpose: '*', state: 'revoked' },
    { purpose: 'marketing', state: 'given', at: '2026-01-15T09:00:00.000Z', proof: { channel: 'web' } },
  ]);
  expect(complaints).toEqual([]);
});

it('a consent that cannot be recorded says why, and what was typed stays', async () => {
  const world = await newWorld();
  const { page } = await open(world, '/console/numbers?number=%2B14155550100');
  await page.getByRole('button', { name: 'Record a consent' }).click();
  const dialog = page.getByRole('dialog', { name: 'Record a consent' });
  await dialog.getByRole('combobox', { name: 'Purpose' }).fill('Offers!');
  await page.keyboard.press('Tab');
  await dialog.getByRole('button', { name: 'Record the consent' }).click();
  await dialog.getByText('purpose must begin with a letter').waitFor();
  expect(await dialog.getByRole('combobox', { name: 'Purpose' }).inputValue()).toBe('Offers!');
});

it('block all numbers of a range but one: a field says for a number which rule decides', async () => {
  const world = await newWorld();
  const { page, complaints } = await open(world, '/console/numbers?section=rules');
  await page.getByText('No prefix is blocked for all agents').waitFor();
  await page.getByRole('button', { name: 'Block a prefix' }).click();
  await page.getByRole('dialog').getByLabel('Prefix').fill('900');
  await page.getByRole('dialog').getByLabel('Reason').fill('Premium numbers');
  await page.getByRole('button', { name: 'Block the prefix' }).click();
  await page.getByText('It must be + and the first').waitFor();
  await page.getByRole('dialog').getByLabel('Prefix').fill('+1 900');
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: '+1900 Premium numbers' }).waitFor();
  await page.getByLabel('Number to test').fill('+1 900 555 0142');
  await page.keyboard.press('Enter');
  await page.getByText('A prefix decides').waitFor();
  await page.getByRole('button', { name: 'Allow a number' }).click();
  await page.getByRole('dialog').getByLabel('Number', { exact: true }).fill('+1 900 555 0142');
  await page.getByRole('button', { name: 'Allow the number' }).click();
  await page.getByText('The number is allowed for all agents.').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Change +1900' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('Expensive');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: '+1900 Expensive' }).waitFor();
  const { body } = await world.call('GET', '/block-list-rules', { query: { uid: world.uid } });
  expect(body).toEqual({ prefixes: [{ prefix: '+1900', reason: 'Expensive' }], allow: ['+19005550142'], version: 3 });
  await page.getByRole('button', { name: 'Remove +1900', exact: true }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('No prefix is blocked for all agents').waitFor();
  expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
});

it('give me everything about this person, then erase it', async () => {
  const { uid, agentId, call } = await newWorld();
  const { secret: apiKey } = await apiKeys.get().create(uid, { name: 'all', scopes: ['block-list', 'privacy'] });
  const body = { uid, consents: [{ number: '+14155550100', purpose: 'marketing', state: 'given' }] };
  expect((await call('POST', '/consents', { body })).status).toBe(200);
  const { page } = await openConsole(apiKey, `/console/numbers?number=%2B14155550100&agentId=${agentId}`);
  await page.getByRole('button', { name: 'Export this person’s data' }).click();
  const link = page.getByRole('link', { name: 'Download the file' });
  await link.waitFor();
  const exported = await (await fetch((await link.getAttribute('href')) ?? '')).text();
  expect(JSON.parse(exported.trim())).toMatchObject({ kind: 'consent', data: { purpose: 'marketing' } });
  await page.getByRole('button', { name: 'Erase +14155550100' }).click();
  const dialog = page.getByRole('dialog', { name: 'Erase this person?' });
  await dialog.getByText('Found: 0 calls, 0 entries of block lists, 1 consents.').waitFor();
  await dialog.getByLabel(/^Type/).fill('+14155550100');
  await dialog.getByRole('button', { name: 'Erase this person' }).click();
  await page.getByText('0 calls, 0 entries of block lists, 1 consents', { exact: true }).waitFor();
  await page.getByText('Nothing is recorded of this person').waitFor();
});
