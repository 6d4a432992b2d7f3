import { expect, it } from 'vitest';
import { newWorld } from '../../support/world.ts';
import { findViolations, useBrowser } from './browser.ts';
import { openConsole } from './open-console.ts';

useBrowser();

it('calls of a period are exported in the console, and its files can be downloaded', async () => {
  const world = await newWorld();
  await world.recordCall('call-1', { startedAt: '2026-03-01T23:59:59Z' });
  await world.recordCall('call-2', { startedAt: '2026-03-02T00:00:00Z' });
  const { page, complaints } = await openConsole(world.apiKey, '/console/calls');
  await page.getByRole('button', { name: 'Export calls' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('First day').fill('2026-03-01');
  await dialog.getByLabel('Last day').fill('2026-03-01');
  await dialog.getByLabel('Format').selectOption('CSV, for spreadsheets');
  expect(await findViolations(page)).toEqual([]);
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}-form.png` });
  await dialog.getByRole('button', { name: 'Export', exact: true }).click();
  await dialog.getByText('Done').waitFor();
  const link = dialog.getByRole('link', { name: 'File 1' });
  const response = await fetch((await link.getAttribute('href')) as string);
  expect((await response.text()).split('\r\n')[1]).toMatch(/^call-1,/);
  expect(await dialog.getByText('1 calls').count()).toBe(0);
  expect(await findViolations(page)).toEqual([]);
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}-done.png` });
  expect(complaints).toEqual([]);
});
