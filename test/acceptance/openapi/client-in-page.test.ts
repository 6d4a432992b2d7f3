import { buildSync } from 'esbuild';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { newWorld, target } from '../../support/world.ts';
import { newPage, useBrowser } from '../pages/browser.ts';

useBrowser();
let script: string;
beforeAll(() => {
  const { outputFiles } = buildSync({
    entryPoints: ['functions/openapi/client/client.ts'],
    bundle: true,
    minify: true,
    format: 'iife',
    globalName: 'client',
    platform: 'browser',
    write: false,
  });
  script = outputFiles[0]?.text ?? '';
});

/** Opens an empty page of an origin, with the client in it. */
const openPageOf = async (origin: string): Promise<Page> => {
  const page = await newPage();
  await page.route(`${origin}/`, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
  await page.goto(`${origin}/`);
  await page.addScriptTag({ content: script });
  return page;
};

const run = <T>(page: Page, program: string, values: object): Promise<T> =>
  page.evaluate(`(async ({ ${Object.keys(values).join(', ')} }) => { ${program} })(${JSON.stringify(values)})`);

it('the typed client in a page reports how much of an upload has been sent, and aborts it', async () => {
  const { uid, agentId, apiKey } = await newWorld();
  const page = await openPageOf(target.baseUrl);
  const { documents, states, aborted } = await run<{
    documents: { name: string }[];
    states: { sentBytes: number; totalBytes: number }[];
    aborted: string;
  }>(
    page,
    `
      const api = client.apiClient({ baseUrl: '/', apiKey, uid });
      const states = [];
      const onProgress = (state) => states.push(state);
      const files = [new File(['Read me. '.repeat(400_000)], 'manual.txt')];
      const { documents, error } = await api.documents.uploadFiles({ agentId }, files, { onProgress });
      if (error) throw new Error(error.message);
      const stop = new AbortController();
      const stopped = { signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) };
      const aborted = await api.documents.uploadFiles({ agentId }, files, stopped).catch(({ message }) => message);
      return { documents, states, aborted };
      `,
    { apiKey, uid, agentId },
  );
  expect(documents.map(({ name }) => name)).toEqual(['manual.txt']);
  const sent = states.map(({ sentBytes }) => sentBytes);
  expect(sent).toEqual([...sent].sort((a, b) => a - b));
  expect([sent.length > 1, sent.at(-1), states[0]?.totalBytes]).toEqual([true, 3_600_000, 3_600_000]);
  expect(aborted).toBe('enough');
  await page.close();
});

it('the typed client in a page of another origin names APP_ORIGIN, since the browser does not say why', async () => {
  const { uid, apiKey } = await newWorld();
  const page = await openPageOf('http://localhost:9');
  const { error } = await run<{ error: { error: string; message: string } }>(
    page,
    'return client.apiClient({ baseUrl, apiKey, uid, retries: 0 }).agents.list();',
    { apiKey, uid, baseUrl: target.baseUrl },
  );
  expect([error.error, error.message]).toEqual(['unreachable', expect.stringContaining('APP_ORIGIN')]);
  await page.close();
});
