/**
 * Prints the tests that CI runs beside those of `npm test`: what the commits of the last day, at least the last ten, can break.
 * reached-tests.txt says what that is. For one commit in eight, which its hash chooses, and with `FULL=1` it prints all tests.
 * `unsampled` follows those in the folders that mirror what the last ten commits changed. Standard error has the reasons.
 */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';

const root = join(import.meta.dirname, '..');

/** The lines of reached-tests.txt: globs of changed files, and of the tests that they reach. */
export const table = readFileSync(join(import.meta.dirname, 'reached-tests.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(' → ').map((globs) => globs.split(' ')) as [changed: string[], reached: string[]]);

const sources = new Map(
  globSync('test/**/*.ts', { cwd: root }).map((file) => [file, readFileSync(join(root, file), 'utf8')]),
);

/** The tests that do not run in `npm test`. */
export const suites = [...sources]
  .filter(([file]) => file.endsWith('.test.ts'))
  .filter(([file, text]) => /^test\/(acceptance|deployed)\//.test(file) || /'heavy'|itInAnyHistory/.test(text))
  .map(([file]) => file)
  .sort();

const imports = [...sources]
  .filter(([file]) => !file.startsWith('test/deployed/'))
  .map(([file, text]) => ({
    file,
    imported: [...text.matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) => join(file, '..', path)),
  }));

/** Returns a file of `test`, and the files that import it, directly or by way of others. */
const findImporters = (changed: string): string[] => {
  const found = new Set([changed]);
  // The loop also visits what is added meanwhile.
  for (const one of found) for (const { file, imported } of imports) if (imported.includes(one)) found.add(file);
  return [...found];
};

const matchesAny = (file: string, globs: string[]) => globs.some((glob) => matchesGlob(file, glob));

/** Returns the tests that changes of the files reach. */
export const reach = (changed: string[]): string[] => {
  const globs = changed.flatMap((file) => {
    const folder = /^(?:functions\/(?=.*\/))?([^/]+)\//.exec(file)?.[1];
    return [
      ...table.flatMap(([from, to]) => (matchesAny(file, from) ? to : [])),
      ...(folder === 'test'
        ? findImporters(file)
        : [
            `test/${folder}/**`,
            `test/acceptance/${folder}/**`,
            ...imports.flatMap((one) => (one.imported.includes(file) ? one.file : [])),
          ]),
    ];
  });
  const unique = [...new Set(globs)];
  return suites.filter((file) => matchesAny(file, unique));
};

/** Returns the folder of tests that mirrors the folder of a file, or the nearest one above it. */
const findMirror = (file: string): string => {
  let folder = join('test', dirname(file).replace(/^(functions|test)(?=\/|$)/, ''));
  while (!suites.some((one) => dirname(one) === folder) && folder !== 'test') folder = dirname(folder);
  return folder;
};

/** Returns the tests in the folders that mirror those of the files. */
export const findNearest = (changed: string[]): string[] => {
  const folders = new Set(changed.map(findMirror));
  return suites.filter((file) => folders.has(dirname(file)));
};

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 100_000_000 }).trim();

/** The number of the last commits whose changes are always looked at. */
const lastCommits = 10;

/** Returns the files that the last commits changed. Changes that are not committed count, too. */
const findChanged = (commits: number) => git('diff', '--name-only', '--no-renames', `HEAD~${commits}`).split('\n');

/** Chooses the tests of this run, says why, and names those that run without a sample. */
const choose = (): { chosen: string[]; unsampled?: string[] } => {
  if (process.env.FULL) {
    console.error('FULL is set: every test runs, without a sample.');
    return { chosen: suites };
  }
  const [hash = '', date = ''] = git('log', '-1', '--format=%H %ct').split(' ');
  const day = ['--first-parent', `--since=${Number(date) - 24 * 60 * 60}`];
  const commits = Math.max(lastCommits, Number(git('rev-list', '--count', ...day, 'HEAD')));
  const known = Number(git('rev-list', '--count', '--first-parent', 'HEAD'));
  const unsampled = known > lastCommits ? findNearest(findChanged(lastCommits)) : [];
  if (Number.parseInt(hash.slice(0, 8), 16) % 8 === 0) {
    console.error(
      'This commit is one of the eighth that runs the tests of every folder, with a sample of the heavy ones.',
    );
    return { chosen: suites, unsampled };
  }
  if (known <= commits) {
    console.error(`This clone has no more than ${commits} commits: the tests of every folder run.`);
    return { chosen: suites, unsampled };
  }
  const changed = findChanged(commits);
  const chosen = reach(changed);
  const rest = suites.filter((file) => !chosen.includes(file));
  console.error(
    [
      `The last ${commits} commits changed ${changed.length} files, which reach ${chosen.length} of ${suites.length} files of tests beside \`npm test\`.`,
      ...(rest.length > 0 ? ['Left out, because nothing that reaches them has changed (.ci/reached-tests.txt):'] : []),
      ...rest.map((file) => `  ${file}`),
    ].join('\n'),
  );
  return { chosen, unsampled };
};

if (process.argv[1] === import.meta.filename) {
  const { chosen, unsampled = [] } = choose();
  console.log(chosen.map((file) => (unsampled.includes(file) ? `${file} unsampled` : file)).join('\n'));
}
