import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { newUser, newWorld } from '../../support/world.ts';
import { startBrowser } from './browser.ts';
import { openConsole } from './open-console.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

const open = (apiKey: string, path?: string) => openConsole(browser, apiKey, path);
const viewsOf = (page: Page) => page.getByRole('navigation', { name: 'Console' }).getByRole('link').allTextContents();

it('the console without a key says what it is for, and opens with a key that is entered', async () => {
  const { recordCall, apiKey } = await newWorld();
  await recordCall('call-1');
  const { page, complaints } = await open('', '/console/calls');
  await page.getByRole('button', { name: 'Enter an API key' }).click();
  await page.getByLabel('API key').fill(apiKey);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Mar 1, 2026, 11:00 AM' }).waitFor();
  expect(complaints).toEqual([]);
});

it('a key sees the views of its scopes, and is told the scope that it lacks', async () => {
  const { apiKey } = await newUser(['privacy']);
  const { page } = await open(apiKey, '/console/calls');
  await page.getByText('It lacks the scope calls.').waitFor();
  expect(await viewsOf(page)).toEqual([]);
});

it('calls are filtered in the address, which brings the same calls back after a reload', async () => {
  const { recordCall, apiKey } = await newWorld();
  await recordCall('call-1');
  await recordCall('call-2', { direction: 'outbound', phone: '+14155550101' });
  const { page } = await open(apiKey, '/console/calls');
  await page.getByLabel('Direction').selectOption('Outbound');
  await page.getByRole('cell', { name: '+14155550100' }).waitFor({ state: 'hidden' });
  await page.getByRole('cell', { name: '+14155550101' }).waitFor();
  await page.reload();
  await page.getByRole('cell', { name: '+14155550101' }).waitFor();
  expect(await page.getByRole('row').count()).toBe(2);
  await page.getByLabel('Phone number').fill('+14155550100');
  await page.keyboard.press('Enter');
  await page.getByText('No call matches these filters').waitFor();
  await page.getByRole('link', { name: 'Show all calls of the agent' }).click();
  await page.getByRole('cell', { name: '+14155550100' }).waitFor();
});
