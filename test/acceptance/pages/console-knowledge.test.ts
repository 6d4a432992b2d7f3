import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { newFolder } from '../../support/websites.ts';
import { newWorld, type World } from '../../support/world.ts';
import { useBrowser } from './browser.ts';
import { openConsole } from './open-console.ts';

useBrowser();

const open = ({ apiKey }: World) => openConsole(apiKey, '/console/knowledge');
const upload = async (page: Page, files: Record<string, string>) => {
  await page.getByRole('button', { name: 'Upload documents' }).click();
  const chosen = Object.entries(files).map(([name, content]) => {
    return { name, mimeType: 'text/plain', buffer: Buffer.from(content) };
  });
  await page.getByLabel('Files').setInputFiles(chosen);
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
};
const search = async (page: Page, query: string) => {
  await page.getByLabel('Search').fill(query);
  await page.keyboard.press('Enter');
};
const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });

const handbook = '# Handbook\n\nA deposit is refunded within five days.\n\n# Parking\n\nThe garage is next door.\n';

it('is the handbook read yet? What would the agent find about refunds? Switched off, nothing', async () => {
  const world = await newWorld();
  const { page, complaints } = await open(world);
  await page.getByText('This agent has no document yet').waitFor();
  // A search made before the handbook is read finds it afterwards.
  await search(page, 'refunds');
  await page.getByText('The agent would find nothing').waitFor();
  await upload(page, { 'Handbook.md': handbook });
  await row(page, 'Handbook.md Ready').waitFor();
  const passages = page.getByRole('listitem').filter({ hasText: 'Handbook.md' });
  await passages.getByText('A deposit is refunded within five days.').waitFor();
  await page.getByRole('switch', { name: 'Use Handbook.md' }).click();
  await page.getByText('The agent would find nothing').waitFor();
  // The list and the search are read again at the same time.
  await page.getByRole('switch', { name: 'Use Handbook.md', checked: false }).waitFor();
  await page.reload();
  await page.getByText('The agent would find nothing').waitFor();
  expect(complaints).toEqual([]);
});

it('which files were refused, and why? The others are uploaded', async () => {
  const world = await newWorld();
  const { page } = await open(world);
  await upload(page, { 'Hours.txt': 'Open from nine to five.', 'Program.txt': '\x7fELF\x02\x01\x01\0\0\0' });
  const refused = page.getByRole('table', { name: 'Files that were refused' });
  await refused.getByRole('row', { name: /^Program.txt/ }).waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await row(page, 'Hours.txt Ready').waitFor();
});

it('why could the form not be read? The reason is shown, and it can be tried again', async () => {
  const world = await newWorld();
  const { page } = await open(world);
  await upload(page, { 'Form.pdf': '%PDF-1.7\ncut off' });
  await row(page, 'Form.pdf Failed').getByRole('link', { name: 'Form.pdf' }).click();
  const dialog = page.getByRole('dialog', { name: 'Form.pdf' });
  await dialog.getByText('damaged').waitFor();
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('It is read again in the background.').waitFor();
  await dialog.getByText('Failed').waitFor();
});

it('add our website, and see which of its pages could not be read', async () => {
  const world = await newWorld();
  const site = newFolder();
  await site.put('', '<title>Start</title><p>We open at nine.</p><a href="a">A</a> <a href="b">B</a>');
  await site.put('a', '<title>A</title><p>Parking is free.</p>');
  const { page } = await open(world);
  await page.getByRole('button', { name: 'Add a website' }).click();
  await page.getByLabel('Address').fill(site.url);
  await page.getByLabel('Name').fill('Our site');
  await page.getByLabel('Read again after days').fill('7');
  await page.getByRole('button', { name: 'Add the website' }).click();
  await row(page, 'Our site Ready').waitFor();
  await page.getByRole('link', { name: 'Our site' }).click();
  expect(await page.getByLabel('Read again after days').inputValue()).toBe('7');
  const failed = page.getByRole('table', { name: 'Pages that could not be read' });
  await failed.getByRole('row', { name: new RegExp(`^${site.at('b')}`) }).waitFor();
  await site.put('b', '<title>B</title><p>Now it is here.</p>');
  await page.getByRole('button', { name: 'Read the pages again' }).click();
  await failed.waitFor({ state: 'hidden' });
  await page.keyboard.press('Escape');
  await search(page, 'is it here now');
  await page.getByText('Now it is here.').waitFor();
});

it('a document is deleted only when its name is typed, by keyboard only', async () => {
  const world = await newWorld();
  const { page } = await open(world);
  await upload(page, { 'Old prices.txt': 'A filling is ten dollars.' });
  await row(page, 'Old prices.txt Ready').getByRole('link').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Delete' }).focus();
  await page.keyboard.press('Enter');
  const confirm = page.getByRole('button', { name: 'Delete the document' });
  await page.getByLabel('Type Old prices.txt').fill('Old prices');
  expect(await confirm.isDisabled()).toBe(true);
  await page.getByLabel('Type Old prices.txt').fill('Old prices.txt');
  await page.keyboard.press('Enter');
  await page.getByText('This agent has no document yet').waitFor();
});
