import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../bin/local/listen.ts';
import { makeRequest, newProof, redirectUri, register } from '../../support/oauth.ts';
import { newUser, target } from '../../support/world.ts';
import { findViolations, openPage, useBrowser } from '../pages/browser.ts';

useBrowser();

const formAddress = async (clientName: string, returnTo = redirectUri) => {
  const request = makeRequest(await register({ client_name: clientName }), newProof().challenge) as Record<
    string,
    string
  >;
  return `${target.baseUrl}/authorize?${new URLSearchParams({ ...request, redirect_uri: returnTo })}`;
};

it.each([
  ['desktop', { width: 1280, height: 900 }, 'light'],
  ['phone', { width: 360, height: 740 }, 'dark'],
] as const)('the page that connects an AI client can be used on a %s, by keyboard', async (_, size, colorScheme) => {
  const { apiKey } = await newUser();
  const client = await listen(createServer((_, response) => response.end('back')));
  onTestFinished(client.stop);
  const address = await formAddress(`Claude ${'and a long name '.repeat(9)}`, `${client.endpoint}/callback`);
  const watched = await openPage(address, { viewport: size, colorScheme, bypassCSP: true });
  const { page } = watched;
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(size.width);
  expect(await findViolations(page)).toEqual([]);
  await page.getByLabel('API key').fill('vap_nothing');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  expect(await page.getByLabel('API key').inputValue()).toBe('');
  expect(await findViolations(page)).toEqual([]);
  await page.getByLabel('API key').fill(apiKey);
  await page.keyboard.press('Enter');
  await page.getByText('back').waitFor();
  expect(new URL(page.url()).searchParams.get('code')).toBeTruthy();
  // The 401 of the refused key.
  expect(watched.complaints.filter((text) => !text.includes('401'))).toEqual([]);
  await page.context().close();
});

it('a page of another site cannot show the page in a frame', async () => {
  const address = await formAddress('Claude');
  const site = await listen(
    createServer((_, response) => response.setHeader('content-type', 'text/html').end(`<iframe src="${address}">`)),
  );
  onTestFinished(site.stop);
  const { page, complaints } = await openPage(site.endpoint);
  await expect.poll(() => complaints.join()).toMatch(/frame-ancestors|Refused to (frame|display)/);
  for (const frame of page.frames()) expect(await frame.content()).not.toContain('API key');
  await page.context().close();
});

it('a person returns to a client that listens on the IPv6 address of the own machine', async () => {
  const { apiKey } = await newUser();
  const server = createServer((_, response) => response.end('back'));
  await new Promise<void>((resolve) => server.listen(0, '::1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const returnTo = `http://[::1]:${port}/callback`;
  const request = makeRequest(await register({ redirect_uris: [returnTo] }), newProof().challenge);
  const parameters = new URLSearchParams({ ...request, redirect_uri: returnTo } as Record<string, string>);
  const { page, complaints } = await openPage(`${target.baseUrl}/authorize?${parameters}`);
  await page.getByLabel('API key').fill(apiKey);
  await page.keyboard.press('Enter');
  await expect.poll(() => [new URL(page.url()).origin, complaints]).toEqual([`http://[::1]:${port}`, []]);
  await page.context().close();
});

it('the style of the page is the one that its policy allows', async () => {
  const { page, complaints } = await openPage(await formAddress('Claude'));
  const color = await page.evaluate('getComputedStyle(document.querySelector("button")).backgroundColor');
  expect([color, complaints]).toEqual(['rgb(47, 93, 98)', []]);
  await page.context().close();
});
