import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openPage, startBrowser, type Watched } from '../support/browser.ts';
import { call, newUser, target } from '../support/world.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});

const open = (options?: BrowserContextOptions): Promise<Watched> => openPage(browser, target.baseUrl, options);
const wordsIn = async (part: Locator) => (await part.textContent()) ?? '';
const composer = (page: Page) => page.getByLabel('Message to the assistant');
const log = (page: Page) => page.getByRole('log');
const say = async (page: Page, text: string) => {
  await composer(page).fill(text);
  await composer(page).press('Enter');
};
const settled = (page: Page) => page.getByRole('button', { name: 'Send' }).waitFor();
const useKey = async (page: Page, apiKey: string) => {
  await page.getByText('Add API key').click();
  await page.getByLabel('API key (optional)').fill(apiKey);
  await page.getByRole('button', { name: 'Use this key' }).click();
};
const agentsOf = async ({ uid, apiKey }: { uid: string; apiKey: string }): Promise<{ name: string }[]> =>
  (await call('GET', '/agents', { apiKey, query: { uid } })).body.agents;

describe('a conversation', () => {
  it('streams an answer into the page, and the next message follows', async () => {
    const { page, complaints } = await open();
    await page.getByRole('button', { name: 'Check +1 (415) 555-0100' }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    const lengths = new Set<number>();
    while (await page.getByRole('button', { name: 'Stop' }).isVisible()) {
      lengths.add((await wordsIn(log(page))).length);
    }
    expect(lengths.size).toBeGreaterThan(3);
    expect(await wordsIn(log(page))).toContain('This is what I make of the numbers');
    await say(page, 'Hello');
    await page.getByText('I am a fake model').waitFor();
    await settled(page);
    expect(await page.getByRole('article').count()).toBe(4);
    expect(complaints).toEqual([]);
  });

  it('is written by keyboard: Enter sends, Shift and Enter make a new line, and the focus stays', async () => {
    const { page } = await open();
    await composer(page).focus();
    await page.keyboard.type('Hello');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('there');
    expect(await composer(page).inputValue()).toBe('Hello\nthere');
    await page.keyboard.press('Enter');
    await settled(page);
    expect(await composer(page).inputValue()).toBe('');
    expect(await composer(page).evaluate('document.activeElement.id')).toBe('message');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('article').count()).toBe(2);
  });

  it('can be stopped in mid-answer, and begun anew', async () => {
    const { page } = await open();
    await say(page, 'Hello [fake: endless]');
    await page.getByText('I am a fake model').first().waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await settled(page);
    const text = await wordsIn(log(page));
    await page.waitForTimeout(300);
    expect(await wordsIn(log(page))).toBe(text);
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByText('What do you want to build?').waitFor();
    expect(await page.getByRole('article').count()).toBe(0);
  });

  it('keeps its end in sight while it grows, unless the reader scrolled away', async () => {
    const { page } = await open({ viewport: { width: 800, height: 400 } });
    await say(page, 'Hello');
    await settled(page);
    const messages = 'document.querySelector("[role=log]")';
    const distance = () => page.evaluate(`${messages}.scrollHeight - ${messages}.scrollTop - ${messages}.clientHeight`);
    expect(await distance()).toBeLessThan(40);
    await page.evaluate(`${messages}.scrollTop = 0`);
    await page.waitForTimeout(200);
    await say(page, 'Hello');
    await settled(page);
    expect(await distance()).toBeGreaterThan(100);
  });
});

describe('a tool', () => {
  it('is shown with what it was asked and what it answered', async () => {
    const { page } = await open();
    await say(page, 'Check 030 1234567');
    await settled(page);
    const tool = page.getByRole('group').filter({ hasText: 'Checked phone numbers' });
    expect(await tool.locator('pre').first().isVisible()).toBe(false);
    await tool.getByText('Checked phone numbers').click();
    expect(await tool.locator('pre').allInnerTexts()).toEqual([
      expect.stringContaining('"030 1234567"'),
      expect.stringContaining('It has no country code'),
    ]);
  });
});

describe('an approval', () => {
  it('shows the whole of what is to be done, and does it once approved, by keyboard alone', async () => {
    const user = await newUser();
    const { page, complaints } = await open();
    await useKey(page, user.apiKey);
    await say(page, 'Create an agent called Reception');
    const question = page.getByRole('region', { name: 'Create this agent?' });
    await question.waitFor();
    await settled(page);
    expect(await wordsIn(question)).toContain('You answer the phone for Reception.');
    expect(await agentsOf(user)).toEqual([]);
    await page.getByText('The assistant asks for your approval.').waitFor({ state: 'attached' });
    while ((await page.evaluate('document.activeElement.textContent')) !== 'Approve')
      await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Done. Reception').waitFor();
    await settled(page);
    expect(await composer(page).evaluate('document.activeElement.id')).toBe('message');
    expect((await agentsOf(user)).map(({ name }) => name)).toEqual(['Reception']);
    await say(page, 'Show my agents');
    await page.getByText('You have access to 1 agent').waitFor();
    expect(complaints).toEqual([]);
  });

  it('that is denied does nothing, and says so', async () => {
    const user = await newUser();
    const { page } = await open();
    await useKey(page, user.apiKey);
    await say(page, 'Create an agent called Reception');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('I changed nothing').waitFor();
    await page.getByText('Creating an agent: you said no').waitFor();
    expect(await agentsOf(user)).toEqual([]);
  });

  it('that is talked past counts as denied, and can no longer be given', async () => {
    const user = await newUser();
    const { page } = await open();
    await useKey(page, user.apiKey);
    await say(page, 'Create an agent called Reception');
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await settled(page);
    await say(page, 'Hello');
    await page.getByText('you did not answer, so it was not done').waitFor();
    await page.getByText('I am a fake model').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(await agentsOf(user)).toEqual([]);
  });
});

describe('an error', () => {
  const alert = async (page: Page) => {
    await page.getByRole('alert').waitFor();
    return wordsIn(page.getByRole('alert').locator('p'));
  };

  it('before the answer is told in words, and the message can be sent again', async () => {
    const { page } = await open();
    await say(page, 'Hello [fake: reject]');
    expect(await alert(page)).toMatch(/^[A-Z][^{}]+\.$/);
    const again = page.waitForRequest('**/chat/build');
    await page.getByRole('button', { name: 'Try again' }).click();
    expect((await again).postData()).toContain('Hello [fake: reject]');
    expect(await alert(page)).toMatch(/^[A-Z][^{}]+\.$/);
  });

  it('in mid-answer keeps what was said', async () => {
    const { page } = await open();
    await say(page, 'Hello [fake: exception]');
    expect(await alert(page)).toMatch(/^[A-Z][^{}]+\.$/);
    expect(await wordsIn(log(page))).toContain('I am');
    await say(page, 'Hello');
    await page.getByText('look things up in the documentation').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('of a key says that it is the key', async () => {
    const { page } = await open();
    await useKey(page, 'vap_wrong');
    await say(page, 'Hello');
    expect(await alert(page)).toContain('This API key is not valid');
  });

  it('of the connection says that it is the connection', async () => {
    const { page } = await open();
    await page.route('**/chat/build', (route) => route.abort('connectionrefused'));
    await say(page, 'Hello');
    expect(await alert(page)).toContain('The service cannot be reached');
  });

  it.each([
    [429, { error: 'rate_limited', message: 'x' }, 'Wait a minute'],
    [429, { error: 'chat_budget_exhausted', message: 'x' }, 'tomorrow'],
    [413, { error: 'payload_too_large', message: 'x' }, 'Begin a new one'],
    [400, { error: 'invalid_request', message: 'messages: too many' }, 'messages: too many'],
    [502, '<html>Bad gateway</html>', 'Something went wrong'],
    [503, { message: 'Service Unavailable' }, 'Something went wrong'],
    [500, '', 'Something went wrong'],
  ])('%i %j has words of its own', async (status, body, words) => {
    const { page } = await open();
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    await page.route('**/chat/build', (route) => route.fulfill({ status, body: sent }));
    await say(page, 'Hello');
    const said = await alert(page);
    expect(said).toContain(words);
    expect(said).not.toMatch(/[{<]/);
  });
});

describe('an API key', () => {
  it('stays in the tab, goes with the messages alone, and can be forgotten', async () => {
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
    await page.getByText(`Key ${apiKey.slice(0, 8)}…`).click();
    await page.getByRole('button', { name: 'Forget the key' }).click();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await say(page, 'Hello');
    await page.getByText('With your API key I can also').waitFor();
  });
});

describe('the page', () => {
  it('asks its own address alone, and shows what the assistant writes as text, not as HTML or pictures', async () => {
    const { page, asked, complaints } = await open();
    const answer = page.getByRole('article').last();
    for (const name of ['<img src=x onerror=alert(1)>', '<b>bold</b>', '![p](/p.png)', '[l](javascript:alert)']) {
      await say(page, `Draft “${name}”`);
      await answer.getByText('Here is a draft of').waitFor();
      await settled(page);
      if (name.startsWith('<')) expect(await wordsIn(answer)).toContain(name);
    }
    expect(await log(page).locator('img, b, script').count()).toBe(0);
    const links = await page.evaluate('[...document.querySelectorAll("[role=log] a")].map((link) => link.href).join()');
    expect(links).not.toContain('javascript');
    expect(asked.filter((url) => !url.startsWith(target.baseUrl))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('comes with a policy that runs nothing but its own', async () => {
    const { headers } = await fetch(target.baseUrl);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    const { page } = await open();
    await expect(page.evaluate(`document.body.innerHTML = '<p>'`)).rejects.toThrow('TrustedHTML');
    await expect(page.evaluate(`fetch('http://127.0.0.1:9/')`)).rejects.toThrow();
  });

  it.each(['light', 'dark'] as const)('is accessible, in %s', async (colorScheme) => {
    const { page } = await open({ colorScheme });
    const violations = async () => {
      await page.evaluate(axe.source);
      const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`);
    };
    expect(await violations()).toEqual([]);
    await page.getByText('Add API key').click();
    expect(await violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await useKey(page, target.apiKey);
    await say(page, 'Create an agent called Reception');
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await settled(page);
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('I changed nothing').waitFor();
    await settled(page);
    await page.getByText('Creating an agent: you said no').click();
    await say(page, 'Hello [fake: reject]');
    await page.getByRole('alert').waitFor();
    expect(await violations()).toEqual([]);
  });

  it('fits a phone', async () => {
    const { page } = await open({ viewport: { width: 360, height: 640 } });
    await useKey(page, target.apiKey);
    await say(page, `Create an agent called ${'Reception'.repeat(6)}`);
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    const overflow =
      'document.documentElement.scrollWidth - innerWidth + document.querySelector("[role=log]").scrollWidth - document.querySelector("[role=log]").clientWidth';
    expect(await page.evaluate(overflow)).toBe(0);
    await page.getByText(/^Key /).click();
    const box = await page.getByLabel('API key (optional)').boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= 360).toBe(true);
  });
});
