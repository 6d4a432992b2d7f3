/**
 * Prints how the size of every function's bundle differs from bundle-sizes.txt, and fails where a bundle leaves its class or
 * differs by more than 5 %. `--write` writes the sizes of today: the file then shows in the same commit what grew.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jobs } from '../functions/jobs.ts';
import { routes } from '../functions/routes.ts';
import { bundlePath } from '../lib/bundles.ts';

/** The classes by what a bundle contains, with their limits in KiB: 10 % above the largest bundle of the class, or more. */
const limits = { table: 480, parsers: 540, packages: 1160, websites: 1900 };
type Class = keyof typeof limits;

/** The functions that are not in the class `table`. */
const classes: Record<string, Class> = {
  // The readers of files, and of robots.txt.
  extractDocument: 'parsers',
  addWebsite: 'parsers',
  // The AI SDK with the guides; the client for connections to other people's servers.
  buildChat: 'packages',
  deliverWebhook: 'packages',
  showAuthorization: 'packages',
  testWebhookEndpoint: 'packages',
  // The same client, and the readers of web pages.
  crawlWebsite: 'websites',
};

/** The share by which a bundle may differ from its listed size. */
const tolerance = 0.05;

const file = join(import.meta.dirname, 'bundle-sizes.txt');

/** Reads lines of a name and its KiB. A merge keeps the lines of both sides: the last one of a name counts. */
export const parseSizes = (text: string): Map<string, number> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split(' '))
      .map(([name = '', kibibytes]) => [name, Number(kibibytes)]),
  );

/** Returns what is wrong with the size of a bundle. A function that is not listed yet is judged by its class. */
export const judgeSize = (name: string, kibibytes: number, listed?: number): string | undefined => {
  const own = classes[name] ?? 'table';
  if (kibibytes > limits[own]) return `exceeds ${limits[own]} KiB, the limit of the class ${own}`;
  const names = Object.keys(limits) as Class[];
  const smaller = names.slice(0, names.indexOf(own)).find((one) => kibibytes < 0.9 * limits[one]);
  if (smaller) return `belongs into the class ${smaller}`;
  if (listed === undefined || Math.abs(kibibytes - listed) <= tolerance * listed) return undefined;
  return 'differs by more than 5 %: find out why; npm run bundles -- --write lists the new size';
};

const measure = (): [name: string, kibibytes: number][] =>
  [...routes, ...jobs].map(({ name }) => [name, statSync(join(bundlePath(name), 'index.mjs')).size / 1024]);

const write = (sizes: [string, number][]) => {
  const header = '# KiB of every function’s bundle, minified, as it is deployed. Made by npm run bundles -- --write.';
  const lines = sizes.map(([name, kibibytes]) => `${name} ${Math.round(kibibytes)}`).sort();
  writeFileSync(file, `${[header, ...lines].join('\n')}\n`);
};

const compare = (sizes: [string, number][]) => {
  const listed = parseSizes(readFileSync(file, 'utf8'));
  console.log('Sizes of bundles that differ from .ci/bundle-sizes.txt:');
  for (const [name, kibibytes] of sizes) {
    const before = listed.get(name);
    const problem = judgeSize(name, kibibytes, before);
    if (problem) process.exitCode = 1;
    const now = Math.round(kibibytes);
    // The listed size is rounded.
    if (!problem && before !== undefined && Math.abs(kibibytes - before) < 1) continue;
    const change = before === undefined ? 'new' : `${(100 * (kibibytes / before - 1)).toFixed(1)} %`;
    console.log(
      `  ${[name, before, '→', now, `KiB (${change})`, problem && `RED: it ${problem}`].filter(Boolean).join(' ')}`,
    );
  }
};

if (process.argv[1] === import.meta.filename) (process.argv.includes('--write') ? write : compare)(measure());
