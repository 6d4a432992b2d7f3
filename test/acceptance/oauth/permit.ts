import { expect } from 'vitest';
import { readForm } from '../../support/oauth.ts';

/** Does what a person does in a browser: opens the page, gives the key, and returns the address that the client gets. */
export const permit = async (address: URL | string, apiKey: string, meanwhile = () => {}): Promise<URL> => {
  const page = await fetch(address, { redirect: 'manual' });
  const text = await page.text();
  expect(page.status, text).toBe(200);
  const { sealed, ticked } = readForm({ text } as never);
  meanwhile();
  const fields = [['request', sealed], ...ticked.map((scope) => ['scope', scope]), ['key', apiKey]] as [
    string,
    string,
  ][];
  const answer = await fetch(new URL('/authorize', address), {
    method: 'POST',
    redirect: 'manual',
    // Browsers send this from a page without a referrer.
    headers: { origin: 'null' },
    body: new URLSearchParams([...fields, ['decision', 'allow']]),
  });
  expect(answer.status).toBe(303);
  return new URL(answer.headers.get('location') as string);
};
