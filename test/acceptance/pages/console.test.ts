import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { Scope } from '../../../functions/domain/api-keys.ts';
import { apiKeys } from '../../../functions/store/api-keys.ts';
import { buildPages } from '../../../lib/pages.ts';
import { until } from '../../support/until.ts';
import { call, newUser, newWorld, target, type World } from '../../support/world.ts';
import { findViolations, newPage, useBrowser } from './browser.ts';
import { hostileTexts } from './hostile-texts.ts';
import { openConsole, openFilter, openSettings } from './open-console.ts';

useBrowser();

const open = (apiKey: string, path?: string) => openConsole(apiKey, path);
const navigation = (page: Page) => page.getByRole('navigation', { name: 'Console' });
const listViews = (page: Page) => navigation(page).getByRole('link').allTextContents();
/** The requests that read a page of calls. */
const callLists = '**/calls?*';
const rename = ({ call, agentId }: World, name: string) => call('PATCH', `/agents/${agentId}`, { body: { name } });

it('the console without a key says what it is for, and opens with a key that is entered', async () => {
  const { recordCall, apiKey } = await newWorld();
  await recordCall('call-1');
  const { page, complaints } = await open('', '/console/calls');
  await page.getByRole('button', { name: 'Enter an API key' }).click();
  await page.getByLabel('API key').fill(apiKey);
  expect(await page.getByLabel('API key').getAttribute('spellcheck')).toBe('false');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Mar 1, 2026, 11:00 AM' }).waitFor();
  expect(complaints).toEqual([]);
});

it.each([
  ['calls', ['Overview', 'Calls']],
  ['agents', ['Agents', 'Chat']],
  ['block-list', ['Numbers']],
  ['knowledge', ['Knowledge']],
  ['webhooks', ['Webhooks']],
  ['hooks', []],
] as [Scope, string[]][])('a key with the scope %s alone sees the views %j', async (scope, names) => {
  const { apiKey } = await newUser([scope]);
  const { page, complaints } = await open(apiKey);
  if (names[0]) await page.getByRole('heading', { name: names[0], level: 1 }).waitFor();
  else await page.getByText('The console has no view for this key.').waitFor();
  expect(await listViews(page)).toEqual(names);
  await page.goto(`${target.baseUrl}/console/${scope === 'agents' ? 'calls' : 'agents'}`);
  await page.getByText(`It lacks the scope ${scope === 'agents' ? 'calls' : 'agents'}.`).waitFor();
  expect(complaints).toEqual([]);
});

it('the console says that its key was revoked, and keeps the text in its forms for the next key', async () => {
  const world = await newWorld();
  await rename(world, 'Front desk');
  const { page } = await open(world.apiKey, `/console/agents?agentId=${world.agentId}`);
  await page.getByLabel('Greeting').fill('Typed before');
  await apiKeys.get().revoke(world.uid, world.keyId);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('This API key is invalid, expired or revoked.').first().waitFor();
  const { secret } = await apiKeys.get().create(world.uid, { name: 'next' });
  await page.getByRole('button', { name: 'Enter another key' }).click();
  await page.getByLabel('API key').fill(secret);
  await page.keyboard.press('Enter');
  // The next key is checked first: until then, the view of the revoked one stays.
  await page.getByText('This API key is invalid, expired or revoked.').first().waitFor({ state: 'hidden' });
  await page.getByRole('heading', { name: 'Front desk' }).waitFor();
  expect(await page.getByLabel('Greeting').inputValue()).toBe('Typed before');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').getByText('is saved').waitFor();
});

it('calls are filtered in the address, which brings the same calls back after a reload', async () => {
  const { recordCall, apiKey } = await newWorld();
  await recordCall('call-1');
  await recordCall('call-2', { direction: 'outbound', phone: '+14155550101' });
  const { page } = await open(apiKey, '/console/calls');
  await openFilter(page, 'Direction');
  await page.getByLabel('Direction', { exact: true }).selectOption('Outbound');
  await page.getByRole('cell', { name: '+1 (415) 555-0100' }).waitFor({ state: 'hidden' });
  await page.getByRole('cell', { name: '+1 (415) 555-0101' }).waitFor();
  await page.reload();
  await page.getByRole('cell', { name: '+1 (415) 555-0101' }).waitFor();
  // The heading of the table, that of the day, and the call.
  expect(await page.getByRole('row').count()).toBe(3);
  await openFilter(page, 'Phone number');
  await page.keyboard.type('+14155550100');
  await page.keyboard.press('Enter');
  await page.getByText('No call matches these filters').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Phone number: +1 (415) 555-0100' }).waitFor();
  await page.getByRole('button', { name: 'Remove the filter Direction' }).click();
  await page.getByRole('cell', { name: '+1 (415) 555-0100' }).waitFor();
  await openFilter(page, 'Direction');
  await page.getByLabel('Direction', { exact: true }).selectOption('Outbound');
  await page.getByRole('link', { name: 'Show all calls' }).click();
  await page.getByRole('cell', { name: '+1 (415) 555-0100' }).waitFor();
});

it('the way back leads to the view before, and an unknown view to the first one', async () => {
  const { apiKey } = await newWorld();
  const { page } = await open(apiKey, '/console/agents?timeZone=Asia/Tokyo');
  await navigation(page).getByRole('link', { name: 'Calls' }).click();
  await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor();
  await openSettings(page);
  expect(await page.getByLabel('Time zone of the page').inputValue()).toBe('Asia/Tokyo');
  expect(await page.title()).toBe('Calls · Voice Agent Platform');
  await page.goBack();
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
  // The link that opens an agent is gone with the list: the view has the focus.
  await page.getByRole('link', { name: 'Agent', exact: true }).click();
  await page.getByRole('heading', { name: 'Agent', exact: true, level: 1 }).waitFor();
  await page.locator('#view:focus').waitFor();
  await page.goto(`${target.baseUrl}/console/nowhere`);
  await page.getByText('There is no such view').waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
});

it('the way back leads to the place in a long view', async () => {
  const { apiKey, agentId } = await newWorld();
  const { page } = await openConsole(apiKey, `/console/agents?agentId=${agentId}`, {
    viewport: { width: 1280, height: 400 },
  });
  const greeting = page.getByLabel('Greeting');
  await greeting.waitFor();
  await page.mouse.move(700, 200);
  await page.mouse.wheel(0, 500);
  await until(() => page.evaluate('scrollY === 500'));
  await navigation(page).getByRole('link', { name: 'Knowledge' }).click();
  await page.getByRole('heading', { name: 'Knowledge', level: 1 }).waitFor();
  await page.goBack();
  await greeting.waitFor();
  // The browser scrolls once, with the frame that shows the view.
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  expect(await page.evaluate('scrollY')).toBe(500);
});

it('the root leads to the console, which leads to the documentation, whose header leads to the chat and back', async () => {
  const { page } = await open('', '/');
  await page.getByRole('heading', { name: 'Console', level: 1 }).waitFor();
  await page.getByRole('navigation', { name: 'Help' }).getByRole('link', { name: 'Docs' }).click();
  await page.getByRole('heading', { name: 'Documentation', level: 1 }).waitFor();
  for (const [name, heading] of [
    ['Build chat', 'Build assistant'],
    ['Console', 'Console'],
  ] as const) {
    await page.getByRole('navigation', { name: 'Site' }).getByRole('link', { name }).click();
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  }
});

it('the theme is that of the system until another is chosen, which stays after a reload', async () => {
  const { apiKey } = await newWorld();
  const { page, complaints } = await openConsole(apiKey, '/console/agents', { colorScheme: 'light' });
  const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
  const light = await background();
  await openSettings(page);
  expect(await findViolations(page)).toEqual([]);
  await page.getByLabel('Theme').selectOption('Dark');
  await expect.poll(background).not.toBe(light);
  const dark = await background();
  expect(await findViolations(page)).toEqual([]);
  await page.reload();
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
  expect(await background()).toBe(dark);
  await openSettings(page);
  await page.getByLabel('Theme').selectOption('As the system has it');
  await expect.poll(background).toBe(light);
  await page.keyboard.press('Escape');
  await page.getByLabel('Theme').waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

it('the console says that the service does not respond, and its button shows the calls once the service is back', async () => {
  const { recordCall, apiKey } = await newWorld();
  await recordCall('call-1');
  const { page } = await open(apiKey, '/console/agents');
  await page.getByRole('link', { name: 'Agent', exact: true }).waitFor();
  await page.route(callLists, (route) => route.abort('connectionrefused'));
  await navigation(page).getByRole('link', { name: 'Calls' }).click();
  await page.getByText('The service cannot be reached. Check your connection and try again.').waitFor();
  await page.unroute(callLists);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('cell', { name: '+1 (415) 555-0100' }).waitFor();
});

it('a slow service shows that something is loading, and the console stays usable', async () => {
  const { apiKey } = await newWorld();
  const { page } = await open(apiKey, '/console/agents');
  await page.getByRole('link', { name: 'Agent', exact: true }).waitFor();
  await page.route(callLists, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 30_000));
    await route.continue().catch(() => {});
  });
  await navigation(page).getByRole('link', { name: 'Calls' }).click();
  await page.getByRole('status').getByText('Loading …').waitFor({ state: 'attached' });
  await navigation(page).getByRole('link', { name: 'Agents' }).click();
  await page.getByRole('link', { name: 'Agent', exact: true }).waitFor();
});

it.each([
  [429, 'rate_limited'],
  [503, 'overloaded'],
])('a %i is repeated, and told while the console waits', async (status, error) => {
  const { recordCall, apiKey } = await newWorld();
  await recordCall('call-1');
  const { page } = await open(apiKey, '/console/agents');
  await page.getByRole('link', { name: 'Agent', exact: true }).waitFor();
  let refusals = 0;
  await page.route(callLists, async (route) => {
    if (refusals++ > 0) return route.continue();
    const headers = { 'retry-after': '2', 'content-type': 'application/json' };
    await route.fulfill({ status, headers, body: JSON.stringify({ error, message: 'Too many requests.' }) });
  });
  await navigation(page).getByRole('link', { name: 'Calls' }).click();
  await page.getByRole('status').getByText('The service is busy. The request is sent again in').waitFor();
  await page.getByRole('cell', { name: '+1 (415) 555-0100' }).waitFor();
});

it('names, outcomes and texts of others are never markup in any view', { tags: 'heavy' }, async () => {
  const world = await newWorld();
  const { call, agentId, recordCall, apiKey } = world;
  for (const [index, text] of hostileTexts.entries()) {
    const configuration = { greeting: text, instructions: text, [`field ${text}`]: text, variables: { [text]: text } };
    const body = { name: text, configuration, note: text };
    expect((await call('PATCH', `/agents/${agentId}`, { body })).status).toBe(200);
    await recordCall(`call-${index}`, { status: text.slice(0, 64), details: { [text]: text } });
    const outcome = { custom_call_outcome: text, custom_call_metadata: { [text]: text } };
    expect((await call('PATCH', `/calls/${agentId}/call-${index}`, { body: outcome })).status).toBe(200);
  }
  const { page, complaints } = await open(apiKey, '/console?period=custom&from=2026-02-28&to=2026-03-02');
  await page.getByRole('table', { name: 'Figures by outcome' }).getByRole('row').nth(hostileTexts.length).waitFor();
  for (const path of [
    '/console/calls',
    ...hostileTexts.map((_, index) => `/console/calls?agentId=${agentId}&callId=call-${index}`),
    '/console/agents',
    `/console/agents?agentId=${agentId}`,
    `/console/agents?agentId=${agentId}&section=history`,
    ...hostileTexts.map((_, index) => `/console/agents?agentId=${agentId}&section=history&version=${index + 2}`),
    `/console/calls?outcome=${encodeURIComponent(hostileTexts[1] as string)}&timeZone=<script>`,
  ]) {
    await page.goto(target.baseUrl + path);
    await page
      .getByText(/executed|bold/)
      .first()
      .waitFor({ state: 'attached' });
  }
  expect(await page.evaluate('window.executed')).toBeUndefined();
  expect(complaints).toEqual([]);
});

describe('every view', () => {
  /** A user for whom every view has something to show, and the addresses of all views and dialogs. */
  const everything = async () => {
    const world = await newWorld(Scope.options);
    const budget = { amount: 50, currency: 'USD', per: 'month' };
    const client = (await world.call('POST', '/users', { body: { name: 'Acme', budget } })).body.uid;
    const configuration = { greeting: 'Hello', disclosure: 'I am a machine.', transcripts: { keepDays: 400 } };
    await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration } });
    await world.block(['+14155550101']);
    await world.recordCall('call-1', {
      ...{ durationSeconds: 60, details: { recordingUrl: 'https://example.com/1.mp3' } },
      transcript: [{ role: 'caller', text: 'I need a check-up.', at: 3 }],
    });
    await world.call('PATCH', `/calls/${world.agentId}/call-1`, { body: { custom_call_outcome: 'booked' } });
    // A view that is read before the stream marks the day does not know that figures are pending.
    const days = { from: '2026-02-28', to: '2026-03-02' };
    const figures = () => world.call('GET', '/call-figures', { query: { uid: world.uid, ...days } });
    await until(async () => (await figures()).body.totals.calls === 1);
    const agent = `/console/agents?agentId=${world.agentId}`;
    const addresses = {
      '/console?period=custom&from=2026-02-28&to=2026-03-02': 'Calls a day by outcome',
      '/console?period=7-days': 'the way to the first one',
      '/console/calls': '+1 (415) 555-0100',
      '/console/calls?phone=%2B14155550999': 'No call matches these filters',
      [`/console/calls?agentId=${world.agentId}&callId=call-1`]: 'I need a check-up.',
      '/console/agents': 'New agent',
      '/console/agents?form=new': 'Create agent',
      [agent]: 'More fields',
      [`${agent}&section=history`]: 'Version 1',
      [`${agent}&section=history&version=1&against=newest`]: 'Restore this version',
      [`${agent}&section=traffic`]: 'Add a version',
      [`${agent}&section=access`]: 'User ID of the guest',
      [`${agent}&section=figures&period=custom&from=2026-02-28&to=2026-03-02`]: 'Value per call',
      [`${agent}&dialog=delete`]: 'Delete',
      '/console/numbers': 'No number is blocked for all agents',
      '/console/numbers?number=%2B14155550100': 'Nothing is recorded of this person',
      '/console/numbers?section=rules&test=%2B14155550100': 'No prefix is blocked for all agents',
      [`/console/numbers?agentId=${world.agentId}`]: 'blocked for Agent',
      [`/console/knowledge?agentId=${world.agentId}`]: 'Add a website',
      '/console/webhooks': 'Nothing is sent anywhere yet',
      '/console/changes': 'changed Greeting',
      '/console/keys': '(this key)',
      [`/console/keys?keyId=${world.keyId}`]: 'Key ID',
      '/console/clients': 'Acme',
      [`/console/clients?client=${client}`]: 'of $50.00',
      '/console/chat': 'What do you want to build?',
      '/console/nowhere': 'There is no such view',
    };
    return { ...world, addresses };
  };

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)(
    'every view and dialog meets WCAG 2.2 AA in %s colors at %i pixels, and fits',
    { tags: 'heavy' },
    async (colorScheme, width) => {
      const { apiKey, addresses } = await everything();
      const options = { colorScheme, viewport: { width, height: 800 } };
      const { page, complaints } = await openConsole(apiKey, '/console', options);
      const findings: Record<string, string[]> = {};
      for (const [path, text] of Object.entries(addresses)) {
        await page.goto(target.baseUrl + path);
        await page.getByText(text).first().waitFor();
        if (path.endsWith('dialog=delete')) await page.getByRole('button', { name: 'Delete' }).click();
        const found = await findViolations(page);
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        if ((overflow as number) > 0) found.push(`overflows by ${overflow} pixels`);
        if (found.length > 0) findings[path] = found;
      }
      expect(findings).toEqual({});
      expect(complaints).toEqual([]);
    },
  );

  it('every request of the console is an operation of /openapi.json', { tags: 'heavy' }, async () => {
    const { apiKey, addresses } = await everything();
    const { page, asked } = await open(apiKey);
    for (const [path, text] of Object.entries(addresses)) {
      await page.goto(target.baseUrl + path);
      await page.getByText(text).first().waitFor();
    }
    const { paths } = (await call('GET', '/openapi.json')).body;
    const patterns = Object.keys(paths).map((path) => new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`));
    const isPage = (path: string) => /^\/(assets\/.+|console(\/[a-z]+)?|docs\/demo\.json)$/.test(path);
    const others = asked
      .map((url) => new URL(url))
      .filter(({ origin, pathname }) => origin !== target.baseUrl || !isPage(pathname))
      .filter(({ origin, pathname }) => origin !== target.baseUrl || !patterns.some((one) => one.test(pathname)));
    expect(others.map(({ href }) => href)).toEqual([]);
  });

  it('a call is found, opened, given an outcome and closed by keyboard alone', async () => {
    const { apiKey, agentId } = await everything();
    const { page } = await open(apiKey);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const focused = () => page.evaluate('document.activeElement.closest("a, button, input")?.textContent ?? ""');
    const tabTo = async (text: string) => {
      for (let tabs = 0; tabs < 60 && !String(await focused()).includes(text); tabs++) await page.keyboard.press('Tab');
      expect(await focused()).toContain(text);
    };
    await tabTo('Calls');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Mar 1, 2026' }).waitFor();
    await tabTo('11:00 AM');
    await page.keyboard.press('Enter');
    const outcome = page.getByRole('dialog', { name: 'Call' }).getByRole('combobox', { name: 'Outcome' });
    await outcome.waitFor();
    const label = () => page.evaluate('document.activeElement.labels?.[0]?.textContent');
    for (let tabs = 0; tabs < 20 && (await label()) !== 'Outcome'; tabs++) await page.keyboard.press('Tab');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('moved');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('The outcome is saved.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /moved/ }).waitFor();
    expect(await focused()).toContain('11:00 AM');
    expect((await call('GET', `/calls/${agentId}/call-1`, { apiKey })).body.custom_call_outcome).toBe('moved');
  });
});

it('a conversation in the console survives a look at another view, and ends with the key', async () => {
  const { apiKey } = await newWorld();
  const { page, complaints } = await open(apiKey, '/console/chat');
  const message = page.getByLabel('Message to the assistant');
  await message.fill('Show my agents');
  await message.press('Enter');
  const log = page.getByRole('log');
  await log.getByText('Listed your agents').waitFor();
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await message.fill('Half a sentence');
  await navigation(page).getByRole('link', { name: 'Agents' }).click();
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
  await navigation(page).getByRole('link', { name: 'Chat' }).click();
  await log.getByText('Listed your agents').waitFor();
  expect(await message.inputValue()).toBe('Half a sentence');
  const next = await newWorld();
  await openSettings(page);
  await page.locator('.key summary').click();
  await page.getByLabel('API key').fill(next.apiKey);
  await page.keyboard.press('Enter');
  await page.getByText('What do you want to build?').waitFor();
  expect(await log.getByRole('article').count()).toBe(0);
  expect(complaints).toEqual([]);
});

it('on a phone, the menu is as legible as the page, and another key is entered in it', async () => {
  const world = await newWorld();
  const { page } = await openConsole('', '/console/calls', { viewport: { width: 360, height: 780 } });
  await page.getByRole('button', { name: 'Enter an API key' }).click();
  await page.getByLabel('API key').fill(world.apiKey);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Menu: Calls' }).click();
  await navigation(page).getByRole('link', { name: 'Agents' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await openSettings(page);
  await page.locator('.key summary').click();
  const field = page.getByLabel('API key');
  await expect.poll(() => field.evaluate((element) => element.matches(':focus'))).toBe(true);
  const box = await field.boundingBox();
  expect(box && box.y >= 0 && box.y + box.height <= 780).toBe(true);
  expect(await findViolations(page)).toEqual([]);
});

it('10,000 agents are shown part by part and found by name, and the page still answers', {
  tags: 'heavy',
}, async () => {
  const { apiKey } = await newUser();
  const { page } = await open(apiKey, '/console/calls');
  const made = '2026-03-01T10:00:00.000Z';
  await page.route('**/agents?*', (route) => {
    const start = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0);
    const agents = Array.from({ length: 500 }, (_, index) => ({
      ...{ uid: 'user', agentId: `agent-${start + index}`, name: `Agent ${start + index}`, configuration: {} },
      ...{ version: 1, createdAt: made, updatedAt: made },
    }));
    const next = start + 500 < 10_000 ? { nextCursor: String(start + 500) } : {};
    return route.fulfill({ json: { agents, ...next } });
  });
  await navigation(page).getByRole('link', { name: 'Agents' }).click();
  await page.getByRole('button', { name: 'Show more of 10,000' }).click();
  await page.getByRole('link', { name: 'Agent 399', exact: true }).waitFor({ state: 'attached' });
  await page.getByLabel('Name or phone number').fill('agent 9999');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Agent 9999', exact: true }).waitFor();
  expect(await page.getByRole('row').count()).toBe(2);
  await navigation(page).getByRole('link', { name: 'Calls' }).click();
  await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor();
});

it('the console loads at most 62 KB at first, and has at most 216 KB in all with its chat, gzipped', async () => {
  const { apiKey } = await newWorld();
  const { page, asked } = await open(apiKey, '/console?period=7-days');
  // The other views are not loaded by themselves.
  await page.addInitScript("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })");
  asked.length = 0;
  await page.reload();
  await page.getByText('the way to the first one').waitFor();
  const bytesOf = new Map(buildPages().map(({ path, body }) => [path, gzipSync(body, { level: 9 }).length]));
  const sum = (paths: Iterable<string>) => [...paths].reduce((bytes, path) => bytes + (bytesOf.get(path) ?? 0), 0);
  expect(sum(new Set(asked.map((url) => new URL(url).pathname)))).toBeLessThan(62 * 1024);
  const all = [...bytesOf.keys()].filter((path) => /^\/(console$|assets\/console-)/.test(path));
  expect(all.length).toBeGreaterThan(5);
  expect(sum(all)).toBeLessThan(216 * 1024);
});

it('the console shows its frame before any script or style sheet has arrived', async () => {
  const page = await newPage();
  // These requests are never answered.
  await page.route('**/assets/**', () => {});
  await page.goto(`${target.baseUrl}/console/calls`, { waitUntil: 'commit' });
  const paints = () => page.evaluate("performance.getEntriesByName('first-contentful-paint').length");
  await expect.poll(paints).toBe(1);
  for (const part of ['.site', '.bar i', 'main i']) {
    expect(await page.locator(part).first().isVisible()).toBe(true);
    const color = `getComputedStyle(document.querySelector('${part}')).backgroundColor`;
    expect(await page.evaluate(color)).not.toBe('rgba(0, 0, 0, 0)');
  }
});

it('the policy of the console allows only scripts of its files, and the styles that the document begins with', async () => {
  const { headers } = await fetch(`${target.baseUrl}/console/calls`);
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/script-src 'self'; style-src 'self' 'sha256-[^' ]+';/);
  expect(policy).not.toContain('unsafe');
});
