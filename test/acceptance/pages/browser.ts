import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { importPackage, packageFile } from '../packages.ts';

/** Starts a headless Chromium that comes with the packages: it needs nothing installed on the machine. */
export const startBrowser = async (): Promise<Browser> => {
  // It unpacks the libraries that a bare machine lacks where it takes itself to be on Lambda.
  process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs24.x';
  const temporary = tmpdir();
  // Each test file unpacks it for itself: it takes what another one is still unpacking for complete.
  const folder = mkdtempSync(join(temporary, 'browser-'));
  process.env.TMPDIR = folder;
  const { default: bundled } = await importPackage('@sparticuz/chromium');
  const executablePath: string = await bundled.executablePath();
  process.env.TMPDIR = temporary;
  // Its own configuration looks for fonts in /tmp alone, and it comes without one for code.
  const fonts = join(folder, 'fonts.conf');
  const directories = [`${folder}/fonts`, packageFile('dejavu-fonts-ttf', 'ttf')].map((path) => `<dir>${path}</dir>`);
  writeFileSync(fonts, `<fontconfig>${directories.join('')}<cachedir>${folder}/cache</cachedir></fontconfig>`);
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu'],
    headless: true,
    env: { ...process.env, FONTCONFIG_FILE: fonts },
  });
};

/** A page, with what it asked of whom and what it complained of. */
export type Watched = { page: Page; asked: string[]; complaints: string[] };

/** Opens a page. A script may be run before those of the page, also when it is loaded again. */
export const openPage = async (
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  script?: string,
): Promise<Watched> => {
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
  page.setDefaultTimeout(20_000);
  await page.goto(url);
  return { page, asked, complaints };
};

/** Returns the findings of axe for a page: each rule with the elements that break it. */
export const violationsIn = async (page: Page): Promise<string[]> => {
  const { default: axe } = await importPackage<{ default: { source: string } }>('axe-core');
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' ')}`);
};
