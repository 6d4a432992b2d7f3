import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newWorld } from '../../support/world.ts';
import { useBrowser } from './browser.ts';
import { openConsole } from './open-console.ts';

useBrowser();

/** What the view *Numbers* has beside its heading, which is shown before its file is loaded. */
const content = (page: Page) => page.getByRole('button', { name: 'Block numbers' });

/** Opens the console, which loads no view before it is opened. From now on, its requests fail as `fail` says. */
const openFailing = async (fail: { now?: 'offline' | 'gone' }) => {
  const { apiKey } = await newWorld();
  const { page } = await openConsole(apiKey);
  await page.addInitScript("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })");
  await page.reload();
  await page.getByText('the way to the first one').waitFor();
  await page.route('**/*', (route) => {
    const isFile = route.request().url().includes('/assets/console-');
    if (fail.now === 'offline') return route.abort('internetdisconnected');
    return fail.now === 'gone' && isFile ? route.fulfill({ status: 404 }) : route.continue();
  });
  return { page, navigation: page.getByRole('navigation', { name: 'Console' }) };
};

describe('a view whose file does not load', () => {
  it('says so while the rail stays, and is shown when the service can be reached again', async () => {
    const fail: { now?: 'offline' } = { now: 'offline' };
    const { page, navigation } = await openFailing(fail);
    await navigation.getByRole('link', { name: 'Numbers' }).click();
    await page.getByText('This view could not be loaded.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The service still cannot be reached.').waitFor();
    expect(await navigation.isVisible()).toBe(true);
    fail.now = undefined;
    await page.getByRole('button', { name: 'Try again' }).click();
    await content(page).waitFor();
  });

  it('loads the page again by itself, once, when the files are those of another deployment', async () => {
    const fail: { now?: 'gone' } = { now: 'gone' };
    const { page, navigation } = await openFailing(fail);
    let documents = 0;
    page.on('request', (request) => {
      if (!request.isNavigationRequest()) return;
      documents++;
      // The page of the new deployment names files that exist.
      fail.now = undefined;
    });
    await navigation.getByRole('link', { name: 'Numbers' }).click();
    await content(page).waitFor();
    expect(documents).toBe(1);
  });
});
