import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { until } from '../../support/until.ts';
import { importPackage, packageFile } from '../packages.ts';

/** The browser of a test file. */
let browser: Browser;

/** Starts a browser for the tests of a file. Its pages are closed after each test. */
export const useBrowser = (): void => {
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
  });
};

/**
 * Unpacks the Chromium that comes with the packages, once in a run, and returns its folder. Test files wait while another one
 * unpacks it, because the package takes a partial folder for complete.
 */
const unpackedBrowser = async (): Promise<string> => {
  const temporary = tmpdir();
  const folder = join(temporary, 'browser');
  const complete = join(folder, 'complete');
  if (!mkdirSync(folder, { recursive: true })) await until(() => existsSync(complete), { seconds: 120 });
  else {
    // The package unpacks the libraries that a bare machine lacks only when it believes that it runs on Lambda.
    process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs24.x';
    process.env.TMPDIR = folder;
    await (await importPackage('@sparticuz/chromium')).default.executablePath();
    process.env.TMPDIR = temporary;
    // Its own configuration looks for fonts in /tmp alone, and it comes without one for code.
    const directories = [`${folder}/fonts`, packageFile('dejavu-fonts-ttf', 'ttf')].map((path) => `<dir>${path}</dir>`);
    const configuration = `<fontconfig>${directories.join('')}<cachedir>${folder}/cache</cachedir></fontconfig>`;
    writeFileSync(join(folder, 'fonts.conf'), configuration);
    mkdirSync(complete);
  }
  return folder;
};

/** Starts a headless Chromium: it needs nothing installed on the machine. */
const startBrowser = async (): Promise<Browser> => {
  const folder = await unpackedBrowser();
  const libraries = { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') };
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: ['--no-sandbox', '--disable-gpu'],
    headless: true,
    env: { ...process.env, ...libraries, FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  });
};

/** A page with its requests, and its errors and warnings. */
export type Watched = { page: Page; asked: string[]; complaints: string[] };

export const newPage = async (options?: BrowserContextOptions): Promise<Page> =>
  (await browser.newContext(options)).newPage();

/** Opens a page. A script may be run before those of the page, also when it is loaded again. */
export const openPage = async (url: string, options: BrowserContextOptions = {}, script?: string): Promise<Watched> => {
  const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, ...options });
  if (script) await context.addInitScript(script);
  const page = await context.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => {
    if (message.type() !== 'log') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.setDefaultTimeout(60_000);
  await page.goto(url);
  return { page, asked, complaints };
};

/** Returns the findings of axe for a page: each rule with the elements that break it. */
export const findViolations = async (page: Page): Promise<string[]> => {
  const { default: axe } = await importPackage<{ default: { source: string } }>('axe-core');
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`);
};
