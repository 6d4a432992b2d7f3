import { forget, save } from './tab-storage.ts';

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

/** Keeps a key in this tab. Another user's key begins another conversation of the chat. */
export const saveKey = (apiKey: string): void => {
  save('apiKey', apiKey);
  if (apiKey) forget('conversation');
};

/** What every page says about a key that does not hold, and about a service that does not respond. */
export const invalidKeyText = 'This API key is invalid, expired or revoked.';
export const unreachableText = 'The service cannot be reached. Check your connection and try again.';

/** Checks a key. Returns a sentence if it is not valid. */
export const checkApiKey = async (apiKey: string): Promise<string | undefined> => {
  try {
    const { status } = await fetch('/key', { headers: { 'x-authorization': apiKey } });
    if (status === 401) return invalidKeyText;
    return status < 500 ? undefined : 'The key could not be checked. Try again.';
  } catch {
    return unreachableText;
  }
};
