import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { target } from '../../support/world.ts';
import { openPage, type Watched } from './browser.ts';

/** Opens the console with a key, like a user in Berlin who has entered the key in this tab. */
export const openConsole = (apiKey: string, path = '/console', options: BrowserContextOptions = {}): Promise<Watched> =>
  openPage(
    target.baseUrl + path,
    { timezoneId: 'Europe/Berlin', reducedMotion: 'reduce', ...options },
    `sessionStorage.getItem('apiKey') ?? sessionStorage.setItem('apiKey', JSON.stringify('${apiKey}'))`,
  );

/** Waits until nothing of the page is loading. The heading of a view is shown before. */
export const shown = async (page: Page): Promise<void> => {
  await page.waitForLoadState('networkidle');
  await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
};

/** Opens the settings that hold for every view: the time zone, the theme and the key. */
export const openSettings = (page: Page): Promise<void> => page.getByRole('button', { name: /^Settings of/ }).click();

/** Opens the field of a filter that is shown as a chip. */
export const openFilter = (page: Page, label: string): Promise<void> =>
  page.getByRole('button', { name: `+ ${label}` }).click();

/** Chooses an option of a field with a search. */
export const choose = async (within: Page | Locator, label: string, option: string): Promise<void> => {
  await within.getByRole('combobox', { name: label, exact: true }).click();
  await within.getByRole('option', { name: option, exact: true }).click();
};

/** Returns the texts of a tile of the overview. */
export const figure = (page: Page, name: string): Promise<string> =>
  page
    .getByRole('term')
    .filter({ hasText: new RegExp(`^${name}$`) })
    .locator('xpath=..')
    .innerText();
