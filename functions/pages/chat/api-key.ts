import { messageOf } from './errors.ts';

/** The demo data of a local run: a key, and whether a fake model answers. */
export type Demo = { apiKey?: string; isFakeModel?: boolean };

/** Loads the demo data, which a local run serves. A deployment has none. */
export const loadDemo = async (): Promise<Demo> => {
  if (!['localhost', '127.0.0.1', '[::1]'].includes(location.hostname)) return {};
  try {
    const response = await fetch('/docs/demo.json');
    return response.ok ? await response.json() : {};
  } catch {
    return {};
  }
};

/** Checks a key. Returns a sentence if it is not valid. */
export const checkApiKey = async (apiKey: string): Promise<string | undefined> => {
  try {
    const response = await fetch('/key', { headers: { 'x-authorization': apiKey } });
    const text = await response.text();
    const { error } = JSON.parse(text);
    if (error === 'invalid_api_key' || error === 'missing_api_key')
      return 'This API key is invalid, expired or revoked.';
    return response.status < 500 ? undefined : messageOf(new Error(text));
  } catch (error) {
    return error instanceof SyntaxError ? 'The key could not be checked. Try again.' : messageOf(error as Error);
  }
};
