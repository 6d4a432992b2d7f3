import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../bin/local/listen.ts';
import { newProof, redirectUri, register, requestOf } from '../../support/oauth.ts';
import { newUser, target } from '../../support/world.ts';
import { openPage, useBrowser, violationsIn } from '../pages/browser.ts';

useBrowser();

const addressOf = async (clientName: string, returnTo = redirectUri) => {
  const request = requestOf(await register({ client_name: clientName }), newProof().challenge) as Record<
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
  const address = await addressOf(`Claude ${'and a long name '.repeat(9)}`, `${client.endpoint}/callback`);
  const watched = await openPage(address, { viewport: size, colorScheme, bypassCSP: true });
  const { page } = watched;
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(size.width);
  expect(await violationsIn(page)).toEqual([]);
  await page.getByLabel('API key').fill('vap_nothing');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  expect(await page.getByLabel('API key').inputValue()).toBe('');
  expect(await violationsIn(page)).toEqual([]);
  await page.getByLabel('API key').fill(apiKey);
  await page.keyboard.press('Enter');
  await page.getByText('back').waitFor();
  expect(new URL(page.url()).searchParams.get('code')).toBeTruthy();
  // The 401 of the refused key.
  expect(watched.complaints.filter((text) => !text.includes('401'))).toEqual([]);
  await page.context().close();
});

it('the style of the page is the one that its policy allows', async () => {
  const { page, complaints } = await openPage(await addressOf('Claude'));
  const color = await page.evaluate('getComputedStyle(document.querySelector("button")).backgroundColor');
  expect([color, complaints]).toEqual(['rgb(47, 93, 98)', []]);
  await page.context().close();
});
