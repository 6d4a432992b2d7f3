import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { newWorld, type World } from '../../support/world.ts';
import { useBrowser, violationsIn } from './browser.ts';
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
  await page.keyboard.press('Enter');
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
  expect(await violationsIn(page)).toEqual([]);
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
  expect(await violationsIn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Import' });
  await dialog.getByRole('row', { name: '7 nobody Write the number' }).waitFor();
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
