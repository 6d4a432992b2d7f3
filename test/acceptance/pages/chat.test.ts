import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { apiKeys } from '../../../functions/store/api-keys.ts';
import { call, newUser, target } from '../../support/world.ts';
import { findViolations, openPage, useBrowser, type Watched } from './browser.ts';

useBrowser();

const chat = `${target.baseUrl}/chat`;
const desktop = { width: 1100, height: 800 };
const phone = { width: 390, height: 760 };

/** The page without a key. The local run serves the demo user's, which the page uses unless the user has removed it. */
const open = (options?: BrowserContextOptions): Promise<Watched> =>
  openPage(chat, options, `sessionStorage.getItem('apiKey') ?? sessionStorage.setItem('apiKey', '""')`);
const openWithDemoKey = (options?: BrowserContextOptions): Promise<Watched> => openPage(chat, options);
const readWords = async (part: Locator) => (await part.textContent()) ?? '';
const composer = (page: Page) => page.getByLabel('Message to the assistant');
const log = (page: Page) => page.getByRole('log');
/** Sends a message, and waits until it is in the conversation: from then on `settled` waits for its answer. */
const say = async (page: Page, text: string) => {
  const articles = page.getByRole('article');
  const count = await articles.count();
  await composer(page).fill(text);
  await composer(page).press('Enter');
  await articles.nth(count).waitFor();
};
const settled = (page: Page) => page.getByRole('button', { name: 'Send' }).waitFor();
const keyButton = (page: Page) => page.locator('.key summary');
const keyLabel = (page: Page, label: string) => keyButton(page).filter({ hasText: label });
const enterKey = async (page: Page, apiKey: string) => {
  await keyButton(page).click();
  await page.getByLabel('API key (optional)').fill(apiKey);
  await page.getByRole('button', { name: 'Use this key' }).click();
};
const useKey = async (page: Page, apiKey: string) => {
  await enterKey(page, apiKey);
  await keyLabel(page, apiKey === target.apiKey ? 'Demo key' : `Key ${apiKey.slice(0, 8)}…`).waitFor();
};
const focused = (page: Page) => page.evaluate('document.activeElement.id || document.activeElement.textContent');
/** Pixels of the conversation below the visible part. */
const hiddenBelow = (page: Page): Promise<number> =>
  page.evaluate(`(({ scrollHeight, scrollTop, clientHeight }) => Math.round(scrollHeight - scrollTop - clientHeight))(
    document.querySelector('[role=log]')
  )`);
/** Matches the browser's own log of a response with an error status, such as that of a key check, which is not a complaint. */
const own = (complaints: string[]) =>
  complaints.filter((complaint) => !complaint.startsWith('Failed to load resource'));
const listAgents = async ({ uid, apiKey }: { uid: string; apiKey: string }): Promise<{ name: string }[]> =>
  (await call('GET', '/agents', { apiKey, query: { uid } })).body.agents;

it('the chat page streams an answer, and the next message follows', async () => {
  const { page, complaints } = await open();
  await page.getByRole('button', { name: 'Check +1 (415) 555-0100' }).click();
  await page.getByText('I checked the numbers').waitFor();
  await settled(page);
  await say(page, 'Hello [fake: endless]');
  await page.getByText('I am a fake model').first().waitFor();
  const { length } = await readWords(log(page));
  await expect.poll(async () => (await readWords(log(page))).length).toBeGreaterThan(length);
  expect(await page.getByRole('article').count()).toBe(4);
  expect(complaints).toEqual([]);
});

it('a message is written by keyboard: Enter sends, Shift and Enter make a new line, and the focus stays', async () => {
  const { page } = await open();
  await composer(page).focus();
  await page.keyboard.type('Hello');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('there');
  expect(await composer(page).inputValue()).toBe('Hello\nthere');
  await page.keyboard.press('Enter');
  await page.getByRole('article').nth(1).waitFor();
  await settled(page);
  expect(await composer(page).inputValue()).toBe('');
  expect(await composer(page).evaluate('document.activeElement.id')).toBe('message');
  await page.keyboard.press('Enter');
  expect(await page.getByRole('article').count()).toBe(2);
});

it('an answer on the chat page can be stopped with the focus kept, and started again', async () => {
  const { page } = await open();
  await say(page, 'Hello [fake: endless]');
  await page.getByText('I am a fake model').first().waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await settled(page);
  expect(await focused(page)).toBe('message');
  const text = await readWords(log(page));
  await say(page, 'Hello');
  await settled(page);
  expect((await readWords(log(page))).startsWith(text)).toBe(true);
  await page.getByRole('button', { name: 'New conversation' }).click();
  await page.getByText('What do you want to build?').waitFor();
  expect(await page.getByRole('article').count()).toBe(0);
  expect(await focused(page)).toBe('message');
});

it.each([
  ['a desktop', desktop],
  ['a phone', phone],
])('the chat page stays at its end on %s until the user scrolls up, and again after sending', async (_, viewport) => {
  const { page } = await open({ viewport });
  for (const text of ['How do I block a phone number?', 'Draft a receptionist', 'Check 030 1234567', 'Hello']) {
    await say(page, text);
    await settled(page);
    expect(await hiddenBelow(page)).toBeLessThan(2);
  }
  await say(page, 'Hello [fake: endless]');
  await page.getByText('I am a fake model').nth(1).waitFor();
  await page.mouse.move(200, 300);
  await page.mouse.wheel(0, -300);
  await expect.poll(() => hiddenBelow(page)).toBeGreaterThan(200);
  const { length } = await readWords(log(page));
  await expect.poll(async () => (await readWords(log(page))).length).toBeGreaterThan(length + 200);
  expect(await hiddenBelow(page)).toBeGreaterThan(200);
  await page.getByRole('button', { name: 'Stop' }).click();
  await settled(page);
  expect(await hiddenBelow(page)).toBeGreaterThan(200);
  await say(page, 'Hello');
  await settled(page);
  expect(await hiddenBelow(page)).toBeLessThan(2);
});

it('a conversation survives a reload with its position, its draft and the focus, and continues', async () => {
  const user = await newUser();
  const { page } = await open({ viewport: phone });
  await useKey(page, user.apiKey);
  await say(page, 'Draft a receptionist');
  await settled(page);
  await say(page, 'Create an agent called Reception');
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  await settled(page);
  await composer(page).fill('an unsent draft');
  await page.evaluate('document.querySelector("[role=log]").scrollTop = 40');
  const before = await readWords(log(page));
  await page.reload();
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  expect(await readWords(log(page))).toBe(before);
  expect(await page.evaluate('document.querySelector("[role=log]").scrollTop')).toBe(40);
  expect(await composer(page).inputValue()).toBe('an unsent draft');
  expect(await focused(page)).toBe('message');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Done. I created').waitFor();
  await settled(page);
  expect(await listAgents(user)).toHaveLength(1);
  await page.reload();
  await page.getByText('Done. I created').waitFor();
  expect(await hiddenBelow(page)).toBeLessThan(2);
  await page.getByRole('button', { name: 'New conversation' }).click();
  await page.reload();
  await page.getByText('What do you want to build?').waitFor();
});

it('a tool call on the chat page is shown with its input and output', async () => {
  const { page } = await open();
  await say(page, 'Check 030 1234567');
  await settled(page);
  const tool = page.getByRole('group').filter({ hasText: 'Checked phone numbers' });
  expect(await tool.locator('pre').first().isVisible()).toBe(false);
  await tool.getByText('Checked phone numbers').click();
  await tool.locator('pre').last().waitFor();
  expect(await tool.locator('pre').allInnerTexts()).toEqual([
    expect.stringContaining('"030 1234567"'),
    expect.stringContaining('Add + and the country code'),
  ]);
});

it('a tool call that is opened at the end of a page stays in view', async () => {
  const { page } = await open({ viewport: { width: 390, height: 500 } });
  for (const text of ['Hello', 'Check 030 1234567']) {
    await say(page, text);
    await settled(page);
  }
  const tool = page.locator('details.tool');
  await page.evaluate('document.querySelector(".text:last-child").remove()');
  await tool.locator('summary').click();
  const isInView = async () => {
    const [box, view] = await Promise.all([tool.boundingBox(), log(page).boundingBox()]);
    if (!box || !view || box.y < view.y - 1) return false;
    return Math.min(box.y + box.height, box.y + view.height) <= view.y + view.height + 1;
  };
  await tool.locator('pre').first().waitFor();
  await expect.poll(isInView).toBe(true);
});

it('an approval on the chat page shows the complete input, and the tool runs after the approval, by keyboard only', async () => {
  const user = await newUser();
  const { page, complaints } = await open();
  await useKey(page, user.apiKey);
  await say(page, 'Create an agent called Reception');
  const question = page.getByRole('region', { name: 'Create this agent?' });
  await question.waitFor();
  await settled(page);
  expect(await readWords(question)).toContain('You answer the phone for Reception.');
  expect(await listAgents(user)).toEqual([]);
  await page.getByText('The assistant asks for your approval.').waitFor({ state: 'attached' });
  const focused = () => page.evaluate('document.activeElement.textContent');
  for (let tabs = 0; tabs < 20 && (await focused()) !== 'Approve'; tabs++) await page.keyboard.press('Shift+Tab');
  expect(await focused()).toBe('Approve');
  await page.keyboard.press('Enter');
  await page.getByText('Done. I created').waitFor();
  await settled(page);
  expect(await composer(page).evaluate('document.activeElement.id')).toBe('message');
  expect((await listAgents(user)).map(({ name }) => name)).toEqual(['Reception']);
  await say(page, 'Show my agents');
  await page.getByText('You have access to 1 agent').waitFor();
  expect(own(complaints)).toEqual([]);
});

it('an approval of a change names the agent, and shows what changes from what to what', async () => {
  const user = await newUser();
  const configuration = { greeting: 'Hello from before', voice: 'warm' };
  const { body: agent } = await call('POST', '/agents', {
    apiKey: user.apiKey,
    body: { uid: user.uid, name: 'Night desk', configuration },
  });
  const { page } = await open();
  await useKey(page, user.apiKey);
  await say(page, 'Change the greeting of Night desk to "Good evening"');
  const question = page.getByRole('region', { name: 'Update the agent?' });
  await question.getByText('Night desk').waitFor();
  const words = await readWords(question);
  expect(words).toContain(`AgentNight desk ${agent.agentId}`);
  expect(words).toContain('Greetingfrom Hello from before → to Good evening');
  expect(words).not.toContain('warm');
  await question.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Done. I updated').waitFor();
});

const alert = async (page: Page) => {
  await page.getByRole('alert').waitFor();
  return readWords(page.getByRole('alert').locator('p'));
};

it('an error before the answer is shown as a sentence, and the message can be sent again', async () => {
  const { page } = await open();
  await say(page, 'Hello [fake: reject]');
  expect(await alert(page)).toMatch(/^[A-Z][^{}]+\.$/);
  const again = page.waitForRequest('**/chat/build');
  await page.getByRole('button', { name: 'Try again' }).click();
  expect((await again).postData()).toContain('Hello [fake: reject]');
  expect(await alert(page)).toMatch(/^[A-Z][^{}]+\.$/);
});

it('an error during the answer keeps its first part on the page', async () => {
  const { page } = await open();
  await say(page, 'Hello [fake: exception]');
  expect(await alert(page)).toMatch(/^[A-Z][^{}]+\.$/);
  expect(await readWords(log(page))).toContain('I am');
  await say(page, 'Hello');
  await page.getByText('search the documentation').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

it('an error for a key that has become invalid offers another key, or to continue without one', async () => {
  const { uid, apiKey, keyId } = await newUser();
  const { page } = await open();
  await useKey(page, apiKey);
  await apiKeys.get().revoke(uid, keyId);
  await say(page, 'Hello');
  expect(await alert(page)).toContain('This API key is invalid, expired or revoked');
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Enter another key' }).click();
  expect(await focused(page)).toBe('api-key');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Continue without a key' }).click();
  await page.getByText('I am a fake model').waitFor();
  await settled(page);
  expect(await page.getByRole('alert').filter({ hasText: 'key' }).count()).toBe(0);
  await page.getByText('Add API key').waitFor();
});

it.each([
  [429, { error: 'rate_limited', message: 'x' }, 'Wait a minute'],
  [429, { error: 'chat_budget_exhausted', message: 'x' }, 'tomorrow'],
  [413, { error: 'payload_too_large', message: 'x' }, 'Start a new one'],
  [400, { error: 'invalid_request', message: 'messages: too many' }, 'messages: too many'],
  [502, '<html>Bad gateway</html>', 'Something went wrong'],
  [503, { message: 'Service Unavailable' }, 'Something went wrong'],
  [500, '', 'Something went wrong'],
])('the error %i %j has its own sentence on the chat page', async (status, body, words) => {
  const { page } = await open();
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  await page.route('**/chat/build', (route) => route.fulfill({ status, body: sent }));
  await say(page, 'Hello');
  const said = await alert(page);
  expect(said).toContain(words);
  expect(said).not.toMatch(/[{<]/);
});

it('an API key stays in the tab of the chat page, is sent only with messages, and can be removed', async () => {
  const { apiKey } = await newUser();
  const { page, asked } = await open();
  await useKey(page, apiKey);
  const [request] = await Promise.all([page.waitForRequest('**/chat/build'), say(page, 'Hello')]);
  expect(request.headers()['x-authorization']).toBe(apiKey);
  expect(request.postData()).not.toContain(apiKey);
  await settled(page);
  expect(await page.content()).not.toContain(apiKey);
  expect(asked.join()).not.toContain(apiKey);
  expect(await page.evaluate('[document.cookie, localStorage.length]')).toEqual(['', 0]);
  await page.reload();
  await keyButton(page).click();
  await page.getByRole('button', { name: 'Remove the key' }).click();
  expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain(apiKey);
  await page.reload();
  await page.getByText('Add API key').waitFor();
  const [without] = await Promise.all([page.waitForRequest('**/chat/build'), say(page, 'Hello')]);
  expect(without.headers()['x-authorization']).toBeUndefined();
});

it('an API key is checked when it is entered on the chat page', async () => {
  const { page } = await open();
  await enterKey(page, 'vap_wrong');
  await page.getByText('This API key is invalid, expired or revoked.').waitFor();
  expect(await focused(page)).toBe('api-key');
  expect(await page.getByLabel('API key (optional)').getAttribute('aria-invalid')).toBe('true');
  expect(await readWords(keyButton(page))).toBe('Add API key');
  const narrow = await newUser(['calls']);
  await page.getByLabel('API key (optional)').fill(narrow.apiKey);
  await page.keyboard.press('Enter');
  await page.getByText(`Key ${narrow.apiKey.slice(0, 8)}…`).waitFor();
  expect(await focused(page)).toBe('message');
  await page.route('**/key', (route) => route.abort('connectionrefused'));
  await enterKey(page, 'vap_other');
  await page.getByText('The service cannot be reached').waitFor();
});

it('the API key on the chat page is the demo user’s in a local run, and can be removed', async () => {
  const { page, complaints } = await openWithDemoKey();
  await keyLabel(page, 'Demo key').waitFor();
  await say(page, 'Show my agents');
  await page.getByText('You have access to').waitFor();
  expect(complaints).toEqual([]);
  await keyButton(page).click();
  await page.getByRole('button', { name: 'Remove the key' }).click();
  await page.getByText('Add API key').waitFor();
  await keyButton(page).click();
  await page.getByRole('button', { name: 'Use the demo key' }).click();
  await keyLabel(page, 'Demo key').waitFor();
});

it('the panel for the API key focuses its field, and closes by Escape and by a click outside', async () => {
  const { page } = await open();
  const field = page.getByLabel('API key (optional)');
  await keyButton(page).focus();
  await page.keyboard.press('Enter');
  await field.waitFor();
  await expect.poll(() => focused(page)).toBe('api-key');
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'hidden' });
  expect(await focused(page)).toBe('Add API key');
  await page.keyboard.press('Enter');
  await field.waitFor();
  await page.getByText('Enter sends').click();
  await field.waitFor({ state: 'hidden' });
});

it('the chat page sends requests only to its own origin, and shows the assistant’s output as text, not as HTML or pictures', async () => {
  const { page, asked, complaints } = await open();
  const answer = page.getByRole('article').last();
  for (const name of ['<img src=x onerror=alert(1)>', '<b>bold</b>', '![p](/p.png)', '[l](javascript:alert)']) {
    await say(page, `Draft “${name}”`);
    await answer.getByText('Here is a draft of').waitFor();
    await settled(page);
    if (name.startsWith('<')) expect(await readWords(answer)).toContain(name);
  }
  expect(await log(page).locator('img, b, script').count()).toBe(0);
  const links = await page.evaluate('[...document.querySelectorAll("[role=log] a")].map((link) => link.href).join()');
  expect(links).not.toContain('javascript');
  expect(asked.filter((url) => !url.startsWith(target.baseUrl))).toEqual([]);
  expect(complaints).toEqual([]);
});

it('an answer in Markdown has its headings, lists, tables, code and links', async () => {
  const { page } = await open();
  const text = [
    '## Numbers &amp; lists',
    'Use **bold**, *italics*, `a < b` and [the guide](/docs/block-lists), not [this](javascript:alert(1)).',
    '3. third\n   - within\n4. fourth',
    '| Name | Calls |\n|---|---:|\n| Front &lt;desk&gt; | 12 |',
    '```json\n{ "a": "<b>" }\n```',
  ].join('\n\n');
  const parts = [
    ...[{ type: 'start' }, { type: 'text-start', id: '1' }, { type: 'text-delta', id: '1', delta: text }],
    ...[{ type: 'text-end', id: '1' }, { type: 'finish' }],
  ];
  await page.route('**/chat/build', (route) =>
    route.fulfill({
      contentType: 'text/event-stream',
      body: [...parts.map((part) => JSON.stringify(part)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''),
    }),
  );
  await say(page, 'Hello');
  await settled(page);
  const answer = page.getByRole('article').last();
  await answer.getByRole('heading', { name: 'Numbers & lists', level: 2 }).waitFor();
  expect(await answer.locator('strong, em, p code').allTextContents()).toEqual(['bold', 'italics', 'a < b']);
  expect(await answer.locator('ol').getAttribute('start')).toBe('3');
  expect(await answer.locator('ol > li > ul > li').allTextContents()).toEqual(['within']);
  await answer.getByRole('row', { name: 'Front <desk> 12' }).waitFor();
  expect(await answer.locator('pre').innerText()).toBe('{ "a": "<b>" }');
  const links = answer.getByRole('link');
  expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual(['/docs/block-lists']);
  await answer.getByText('not this.').waitFor();
});

it('the chat page has a policy that runs only its own scripts', async () => {
  const { headers } = await fetch(chat);
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  const { page } = await open();
  await expect(page.evaluate(`document.body.innerHTML = '<p>'`)).rejects.toThrow('TrustedHTML');
  await expect(page.evaluate(`fetch('http://127.0.0.1:9/')`)).rejects.toThrow();
});

it.each([
  ['light', desktop],
  ['dark', phone],
  ['light', phone],
  ['dark', desktop],
] as const)('the chat page is accessible, in %s, at %j', { tags: 'heavy' }, async (colorScheme, viewport) => {
  const { page } = await open({ colorScheme, viewport });
  await composer(page).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await enterKey(page, 'vap_wrong');
  await page.getByText('This API key is invalid').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await useKey(page, target.apiKey);
  await say(page, 'Create an agent called Reception');
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  await settled(page);
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('I changed nothing').waitFor();
  await settled(page);
  await page.getByText('Creating an agent: denied').click();
  await say(page, 'Hello [fake: reject]');
  await page.getByRole('alert').waitFor();
  expect(await findViolations(page)).toEqual([]);
});

it('the chat page fits a phone', async () => {
  const { page } = await open({ viewport: { width: 360, height: 640 } });
  await useKey(page, target.apiKey);
  await say(page, `Create an agent called ${'Reception'.repeat(6)}`);
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  const overflow =
    'document.documentElement.scrollWidth - innerWidth + document.querySelector("[role=log]").scrollWidth - document.querySelector("[role=log]").clientWidth';
  expect(await page.evaluate(overflow)).toBe(0);
  await keyButton(page).click();
  const box = await page.getByLabel('API key (optional)').boundingBox();
  expect(box && box.x >= 0 && box.x + box.width <= 360).toBe(true);
});
