import { mkdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { buildSync } from 'esbuild';
import type { Page, Response } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { readGuides } from '../../../functions/openapi/guides.ts';
import { call, target } from '../../support/world.ts';
import { packageFile } from '../packages.ts';
import { findViolations, newPage, openPage, useBrowser } from './browser.ts';

const docs = `${target.baseUrl}/docs`;
const url = `${docs}/reference`;
const screenshots = '.local/screenshots';
const viewport = { width: 1400, height: 900 };

useBrowser();
beforeAll(() => void mkdirSync(screenshots, { recursive: true }));

const picture = (page: Page, name: string) => page.screenshot({ path: `${screenshots}/docs-${name}.png` });

/** Returns the complaints of the page, without Scalar's own name and version. */
const filterComplaints = ({ complaints }: { complaints: string[] }) =>
  complaints.filter((line) => !line.startsWith('@scalar/api-reference@'));

/** Opens an operation and sends its example, as a reader does. */
const tryOut = async (
  page: Page,
  [operation, method, path] = ['Check whether a number is blocked', 'get', '/agent-block-list/check?'],
) => {
  await page.getByRole('link', { name: operation }).first().click();
  const section = page.locator('section').filter({ has: page.getByRole('heading', { name: operation }) });
  await section
    .getByRole('button', { name: /Test Request/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog').filter({ hasText: 'Authentication' });
  const isAnswer = (response: Response) => response.url().includes(path);
  const [response] = await Promise.all([
    page.waitForResponse(isAnswer),
    dialog.getByRole('button', { name: new RegExp(`^Send ${method} request`) }).click(),
  ]);
  return { dialog, response };
};

it('the reference page shows every group of operations, sends requests only to its own origin, and logs no error', async () => {
  const watched = await openPage(url, { viewport });
  const { page, asked } = watched;
  await page.getByRole('heading', { name: 'Voice Agent Platform API' }).waitFor();
  const { body: document } = await call('GET', '/openapi.json');
  for (const { name } of document.tags as { name: string }[]) {
    await page.getByRole('link', { name, exact: true }).waitFor();
  }
  await picture(page, 'front');
  expect(asked.filter((address) => !address.startsWith(target.baseUrl) && !address.startsWith('data:'))).toEqual([]);
  expect(filterComplaints(watched)).toEqual([]);
  await page.context().close();
});

it('the reference page tries an operation with the demo key and the demo agent, which are filled in', async () => {
  const watched = await openPage(url, { viewport });
  const { page } = watched;
  const { dialog, response } = await tryOut(page);
  expect(await response.json()).toMatchObject({ number: target.phone });
  expect(response.request().headers()['x-authorization']).toBe(target.apiKey);
  expect(new URL(response.url()).searchParams.get('agentId')).toBe(target.agentId);
  await dialog.getByText('200').first().waitFor();
  await picture(page, 'tried');
  expect(filterComplaints(watched)).toEqual([]);
  await page.context().close();
});

it('the reference page sends no Idempotency-Key by itself, so that an operation can be tried again with another body', async () => {
  const { page } = await openPage(url, { viewport });
  const { response } = await tryOut(page, ['Block numbers for an agent', 'post', '/agent-block-list']);
  expect([response.status(), response.request().headers()['idempotency-key']]).toEqual([200, undefined]);
  await page.context().close();
});

it('the reference page searches the knowledge of the demo agent with the example', async () => {
  const { page } = await openPage(url, { viewport });
  await page.getByRole('link', { name: 'Knowledge', exact: true }).click();
  const { dialog, response } = await tryOut(page, [
    'Search the knowledge of an agent',
    'post',
    '/agent-knowledge/search',
  ]);
  expect(response.status()).toBe(200);
  expect(await response.json()).toMatchObject({
    passages: [{ kind: 'document', text: expect.stringContaining('Closed on Sundays') }],
    searched: { sources: 1 },
  });
  await dialog.getByText('200').first().waitFor();
  await picture(page, 'searched');
  await page.context().close();
});

it('the reference page of a deployment has no key, and shows the error without one', async () => {
  const page = await newPage({ viewport });
  await page.route('**/docs/demo.json', (route) => route.fulfill({ status: 404, body: '{"message":"Not Found"}' }));
  await page.goto(url);
  const { dialog, response } = await tryOut(page);
  expect((await response.json()).error).toMatch(/^(missing|invalid)_api_key$/);
  await dialog.getByText('401').first().waitFor();
  await page.context().close();
});

it('the reference page has a place for every webhook event that the search links to', async () => {
  const topics: { page: string }[] = (await call('GET', '/docs/search.json')).body;
  const [first = '', ...others] = topics.map(({ page }) => page).filter((address) => address.includes('/webhook/'));
  const { page } = await openPage(target.baseUrl + first, { viewport });
  for (const address of [first, ...others]) {
    await page
      .locator(`a[href="${address.slice('/docs/reference'.length)}"]`)
      .first()
      .waitFor({ state: 'attached' });
  }
  expect(others.length).toBeGreaterThan(10);
  await page.context().close();
});

it('the reference page reports when the description cannot be loaded', async () => {
  const page = await newPage({ viewport });
  await page.route('**/openapi.json', (route) => route.fulfill({ status: 503, body: '{}' }));
  await page.goto(url);
  await page.getByRole('alert').getByText('/openapi.json answered 503.').waitFor();
  await page.context().close();
});

it('the reference page runs only its own scripts', async () => {
  const { headers } = await call('GET', '/docs/reference');
  expect(headers.get('content-security-policy')).toContain("script-src 'self';");
  expect(headers.get('content-security-policy')).toContain("connect-src 'self';");
});

it('the documentation lists every page, as a page and as Markdown, and each exists', async () => {
  const list = (await call('GET', '/llms.txt')).text;
  for (const { slug, title, summary } of readGuides()) {
    expect(list).toContain(`- [${title}](/docs/${slug}.md): ${summary}`);
    const page = await call('GET', `/docs/${slug}`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    const markdown = await call('GET', `/docs/${slug}.md`);
    expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(markdown.text).toMatch(new RegExp(`^# ${RegExp.escape(title)}\n`));
  }
  const reference = (await call('GET', '/docs/reference.md')).text;
  expect(reference).toContain('## POST /agent-block-list');
  expect(reference).toMatch(/^## call\.outcome_updated \(webhook event\)\n\n[^#]+- custom_call_outcome_value/m);
});

it('the documentation answers an unknown page with a page, and an unknown file with JSON', async () => {
  const { page } = await openPage(`${docs}/no-such-page`, { viewport });
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  expect((await call('GET', '/docs/no-such-page')).status).toBe(404);
  const file = await call('GET', '/docs/no-such-page.md');
  expect([file.status, file.body]).toEqual([404, { message: 'Not Found' }]);
  await page.context().close();
});

it('the documentation finds a section while the reader types, and opens it by keyboard', async () => {
  const { page, complaints } = await openPage(`${docs}/errors`, { viewport });
  await page.keyboard.press('/');
  await page.keyboard.type('twil');
  const results = page.getByRole('search').getByRole('link');
  await results.filter({ hasText: 'Connect your voice platform: Twilio' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs/voice-platforms#twilio');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('qqqqqqqq');
  await page.getByText('Nothing found for “qqqqqqqq”.').waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});

it('the documentation copies the code of an example, links each section, and leads on to the next page', async () => {
  const { page } = await openPage(`${docs}/quickstart`, {
    viewport,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await page.locator('.code').first().hover();
  await page.getByRole('button', { name: 'Copy' }).first().click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('npm start');
  await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Make a request' }).click();
  expect(page.url()).toMatch(/#make-a-request$/);
  await page.getByRole('link', { name: 'Next Web application' }).click();
  await page.getByRole('heading', { level: 1, name: 'Web application' }).waitFor();
  await page.context().close();
});

it('the documentation shows every column of a table on a phone', async () => {
  const { page } = await openPage(`${docs}/errors`, { viewport: { width: 390, height: 844 } });
  const cell = page.getByRole('cell', { name: 'Send at most 10,000 numbers in a request.' });
  const box = await cell.boundingBox();
  expect(box && box.x + box.width <= 390).toBe(true);
  await page.context().close();
});

it.each([
  ['desktop', { width: 1400, height: 900 }, 'light'],
  ['phone', { width: 390, height: 844 }, 'dark'],
] as const)(
  'the documentation can be read on a %s, without a finding of axe and without horizontal scrolling',
  { tags: 'heavy' },
  async (name, size, colorScheme) => {
    for (const path of ['', '/quickstart', '/errors', '/operating-on-aws', '/reference']) {
      const watched = await openPage(docs + path, {
        viewport: size,
        colorScheme,
        bypassCSP: true,
      });
      const { page } = watched;
      await page.getByRole('heading', { level: 1 }).waitFor();
      await picture(page, `${name}${path.replace('/', '-')}`);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect(width).toBeLessThanOrEqual(size.width);
      expect(await findViolations(page)).toEqual([]);
      expect(filterComplaints(watched)).toEqual([]);
      await page.context().close();
    }
  },
);

it('the documentation links from its list to a guide, and from there to another', async () => {
  const { page } = await openPage(docs, { viewport });
  await page.getByRole('main').getByRole('link', { name: 'Quickstart' }).click();
  await page.getByRole('heading', { name: 'Make a request' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Telephony' }).click();
  await page.getByRole('heading', { name: 'Telephony', level: 1 }).waitFor();
  expect(await page.locator('.side > .pages a[aria-current]').textContent()).toBe('Telephony');
  await page.context().close();
});

it('the documentation has an example of a chat that works as it is', async () => {
  const guide = readFileSync('functions/openapi/guides/web-application.md', 'utf8');
  const [, component = ''] = /```tsx\n(.*?)```/s.exec(guide) ?? [];
  const start = `import { createRoot } from 'react-dom/client';
      ${component}
      createRoot(document.querySelector('#example')!).render(<Chat />);`;
  const { outputFiles } = buildSync({
    stdin: { contents: start, loader: 'tsx', resolveDir: '.' },
    nodePaths: [packageFile('', '')],
    // The other packages have a copy of their own.
    alias: { react: resolve('node_modules/react') },
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
  });
  const page = await newPage({ viewport });
  const contentType = 'text/html; charset=utf-8';
  const body = `<div id="example"></div><script type="module">${outputFiles[0]?.text.replaceAll('</script', '<\\/script')}</script>`;
  await page.route('**/example', (route) => route.fulfill({ contentType, body }));
  await page.goto(`${target.baseUrl}/example`);
  await page.getByLabel('Message').fill('How do I block a number?');
  await page.getByLabel('Message').press('Enter');
  await page
    .getByText(/agent-block-list/)
    .first()
    .waitFor();
  await page.context().close();
});
