import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type File, upload } from '../../support/uploads.ts';
import { newEndpoint, newReceiver } from '../../support/webhooks.ts';
import { makeWebsites, newFolder } from '../../support/websites.ts';
import { call, newUser, newWorld, target, type World } from '../../support/world.ts';
import { findViolations, useBrowser } from './browser.ts';
import { hostileTexts } from './hostile-texts.ts';
import { openConsole, shown } from './open-console.ts';

useBrowser();

const views = ['numbers', 'knowledge', 'webhooks'];

/** A user whose numbers, sources and endpoints have texts of attackers. */
const attackedWorld = async (): Promise<World> => {
  const world = await newWorld();
  const { uid } = world;
  for (const [index, reason] of hostileTexts.entries()) {
    await world.call('POST', '/block-list', {
      body: { uid, numbers: [`+141555501${String(index).padStart(2, '0')}`], reason },
    });
  }
  const content = `Refunds: ${hostileTexts.join('\n\n')}`;
  const sent = await upload(
    world,
    hostileTexts.slice(0, 8).map((name): File => [`${name}.txt`, content]),
  );
  expect(sent.status).toBe(200);
  const site = newFolder();
  const escaped = hostileTexts.map((text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')).join('<p>');
  await site.put('', `<title>${escaped}</title><p>Refunds ${escaped}</p><a href="?<img onerror=x>&x='"">a</a>`);
  const added = await makeWebsites(world).add(site.url, { name: hostileTexts[1] });
  await makeWebsites(world).settled(added.body.websiteId);
  const receiver = await newReceiver({ status: 500 });
  await newEndpoint(world, `${receiver.url}?x=<script>window.executed=1</script>'"`, { description: hostileTexts[0] });
  await world.recordCall('call-1');
  return world;
};

/** Opens everything that a view shows, and closes it again. */
const openAll = async (page: Page) => {
  const rows = page.getByRole('table').getByRole('link');
  const areEndpoints = new URL(page.url()).pathname === '/console/webhooks';
  for (let index = 0; index < Math.min(await rows.count(), 12); index++) {
    await rows.nth(index).click();
    if (areEndpoints) {
      // An endpoint has a page of its own.
      await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor({ state: 'detached' });
      await shown(page);
      await page.goBack();
      await rows.nth(index).waitFor();
      continue;
    }
    await page.getByRole('dialog').waitFor();
    await shown(page);
    await page.keyboard.press('Escape');
  }
  for (const summary of await page.getByRole('table').locator('summary').all()) await summary.click();
};

it('texts of callers, pages, documents and addresses are text in every view: nothing of them runs, loads, becomes an element or a request', async () => {
  const world = await attackedWorld();
  const { paths } = (await call('GET', '/openapi.json')).body;
  const patterns = Object.keys(paths).map((path) => new RegExp(`^${path.replaceAll(/{[^}]+}/g, '[^/]+')}$`));
  for (const view of views) {
    const query = view === 'knowledge' ? `?agentId=${world.agentId}&query=refunds` : '?number=%2B14155550100';
    const { page, asked, complaints } = await openConsole(world.apiKey, `/console/${view}${query}`);
    await page.getByRole('table').first().waitFor();
    if (view === 'numbers') await page.getByRole('definition').filter({ hasText: hostileTexts[0] }).waitFor();
    if (view === 'knowledge') await page.getByRole('listitem').filter({ hasText: 'Refunds' }).first().waitFor();
    await openAll(page);
    expect(await page.evaluate('window.executed'), view).toBeUndefined();
    expect(await page.locator('main').locator('script, img, iframe, b, style').count(), view).toBe(0);
    const links = await page.evaluate('[...document.querySelectorAll("a")].map((link) => link.protocol).join()');
    expect(links).not.toContain('javascript');
    expect(asked.filter((url) => !url.startsWith(target.baseUrl))).toEqual([]);
    const calls = asked.map((url) => new URL(url).pathname).filter((path) => !/^\/(assets|console|docs)/.test(path));
    expect(calls.length).toBeGreaterThan(1);
    expect(calls.filter((path) => !patterns.some((pattern) => pattern.test(path)))).toEqual([]);
    expect(complaints).toEqual([]);
  }
});

it('the views and their dialogs have no violation of WCAG 2.2 AA, light and dark, on a phone and on a screen', {
  tags: 'heavy',
}, async () => {
  const world = await attackedWorld();
  const steps: Record<string, ((page: Page) => Promise<void>)[]> = {
    'numbers?number=%2B14155550100': [(page) => page.getByRole('button', { name: 'Record a consent' }).click()],
    numbers: [
      (page) => page.getByRole('button', { name: 'Block numbers' }).click(),
      (page) => page.getByRole('button', { name: 'Import a file' }).click(),
      (page) =>
        page
          .getByRole('button', { name: /^Unblock/ })
          .first()
          .click(),
    ],
    [`knowledge?agentId=${world.agentId}&query=refunds`]: [
      (page) => page.getByRole('button', { name: 'Add a website' }).click(),
      (page) => page.getByRole('button', { name: 'Upload documents' }).click(),
      (page) => page.getByRole('table', { name: 'Websites' }).getByRole('link').click(),
    ],
    webhooks: [
      (page) => page.getByRole('button', { name: 'Create an endpoint' }).click(),
      (page) => page.getByRole('table', { name: 'Endpoints' }).getByRole('link').click(),
    ],
  };
  for (const [address, dialogs] of Object.entries(steps)) {
    const { page } = await openConsole(world.apiKey, `/console/${address}`);
    await page.getByRole('table').first().waitFor();
    for (const open of [undefined, ...dialogs]) {
      await open?.(page);
      for (const width of [360, 1280])
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.setViewportSize({ width, height: 800 });
          await page.emulateMedia({ colorScheme });
          expect(await findViolations(page), `${address} ${width} ${colorScheme}`).toEqual([]);
          const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
          expect(await page.evaluate(overflow), `${address} ${width}`).toBe(0);
        }
      if (open) await page.keyboard.press('Escape');
    }
  }
});

it('an empty view, a failing service and a revoked key say what to do next', async () => {
  const { apiKey } = await newUser();
  const { page } = await openConsole(apiKey, '/console/numbers');
  await page.getByText('No number is blocked for all agents').waitFor();
  await page.route('**/webhook-endpoints*', (route) => route.fulfill({ status: 500, json: { message: 'Failed' } }));
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByText('The service failed. Try again.').first().waitFor();
  await page.unroute('**/webhook-endpoints*');
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await page.getByText('Nothing is sent anywhere yet').waitFor();
  const refusal = { error: 'invalid_api_key', message: 'The key is not valid.' };
  await page.route('**/block-list*', (route) => route.fulfill({ status: 401, json: refusal }));
  await page.getByRole('link', { name: 'Numbers' }).click();
  await page.getByRole('button', { name: 'Block numbers' }).waitFor();
  await page.reload();
  await page.getByText('This API key is invalid, expired or revoked.').first().waitFor();
});
