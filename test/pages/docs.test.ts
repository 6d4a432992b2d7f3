import { mkdirSync } from 'node:fs';
import type { Browser, Page, Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPage, startBrowser } from '../support/browser.ts';
import { call, target } from '../support/world.ts';

const url = `${target.baseUrl}/docs`;
const screenshots = '.local/screenshots';
const viewport = { width: 1400, height: 900 };

let browser: Browser;
beforeAll(async () => {
  mkdirSync(screenshots, { recursive: true });
  browser = await startBrowser();
});
afterAll(() => browser.close());

const picture = (page: Page, name: string) => page.screenshot({ path: `${screenshots}/docs-${name}.png` });

/** What the page complained of, but for Scalar's own name and version. */
const complaintsOf = ({ complaints }: { complaints: string[] }) =>
  complaints.filter((line) => !line.startsWith('@scalar/api-reference@'));

/** Opens an operation and sends its example, as a reader does. */
const tryOut = async (page: Page) => {
  const operation = 'Ask whether a number is blocked for an agent';
  await page.getByRole('link', { name: operation }).first().click();
  const section = page.locator('section').filter({ has: page.getByRole('heading', { name: operation }) });
  await section
    .getByRole('button', { name: /Test Request/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog').filter({ hasText: 'Authentication' });
  const isAnswer = (response: Response) => response.url().includes('/agent-block-list/check?');
  const [response] = await Promise.all([
    page.waitForResponse(isAnswer),
    dialog.getByRole('button', { name: /^Send get request/ }).click(),
  ]);
  return { dialog, response };
};

describe('the reference page', () => {
  it('shows every group of operations, asks nobody but its own address, and complains of nothing', async () => {
    const watched = await openPage(browser, url, { viewport });
    const { page, asked } = watched;
    await page.getByRole('heading', { name: 'Voice Agent Platform API' }).waitFor();
    const { body: document } = await call('GET', '/openapi.json');
    for (const { name } of document.tags as { name: string }[]) {
      await page.getByRole('link', { name, exact: true }).waitFor();
    }
    await picture(page, 'front');
    expect(asked.filter((address) => !address.startsWith(target.baseUrl) && !address.startsWith('data:'))).toEqual([]);
    expect(complaintsOf(watched)).toEqual([]);
    await page.context().close();
  });

  it('tries an operation with the demo key and the demo agent, which are filled in', async () => {
    const watched = await openPage(browser, url, { viewport });
    const { page } = watched;
    const { dialog, response } = await tryOut(page);
    expect(await response.json()).toMatchObject({ number: target.phone });
    expect(response.request().headers()['x-authorization']).toBe(target.apiKey);
    expect(new URL(response.url()).searchParams.get('agentId')).toBe(target.agentId);
    await dialog.getByText('200').first().waitFor();
    await picture(page, 'tried');
    expect(complaintsOf(watched)).toEqual([]);
    await page.context().close();
  });

  it('has no key where the service is deployed, and says what is wrong without one', async () => {
    const page = await (await browser.newContext({ viewport })).newPage();
    await page.route('**/docs/demo.json', (route) => route.fulfill({ status: 404, body: '{"message":"Not Found"}' }));
    await page.goto(url);
    const { dialog, response } = await tryOut(page);
    expect((await response.json()).error).toMatch(/^(missing|invalid)_api_key$/);
    await dialog.getByText('401').first().waitFor();
    await page.context().close();
  });

  it('says so when the description cannot be had', async () => {
    const page = await (await browser.newContext({ viewport })).newPage();
    await page.route('**/openapi.json', (route) => route.fulfill({ status: 503, body: '{}' }));
    await page.goto(url);
    await page.getByRole('alert').getByText('/openapi.json answered 503.').waitFor();
    await page.context().close();
  });

  it('runs nothing that is not its own', async () => {
    const { headers } = await call('GET', '/docs');
    expect(headers.get('content-security-policy')).toContain("script-src 'self';");
    expect(headers.get('content-security-policy')).toContain("connect-src 'self';");
  });
});
