/**
 * Prints the tests that CI runs beside those of `npm test`: what the commits of the last day, at least the last ten, can break.
 * reached-tests.txt says what that is. For one commit in eight, which its hash chooses, and with `FULL=1` it prints all tests.
 * Standard error has the reasons.
 */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';

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

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 100_000_000 }).trim();

/** Chooses the tests of this run, and says why. */
const choose = (): string[] => {
  if (process.env.FULL) {
    console.error('FULL is set: every test runs, without a sample.');
    return suites;
  }
  const [hash = '', date = ''] = git('log', '-1', '--format=%H %ct').split(' ');
  if (Number.parseInt(hash.slice(0, 8), 16) % 8 === 0) {
    console.error(
      'This commit is one of the eighth that runs the tests of every folder, with a sample of the heavy ones.',
    );
    return suites;
  }
  const day = ['--first-parent', `--since=${Number(date) - 24 * 60 * 60}`];
  const commits = Math.max(10, Number(git('rev-list', '--count', ...day, 'HEAD')));
  if (Number(git('rev-list', '--count', '--first-parent', 'HEAD')) <= commits) {
    console.error(`This clone has no more than ${commits} commits: the tests of every folder run.`);
    return suites;
  }
  // Changes that are not committed count, too.
  const changed = git('diff', '--name-only', '--no-renames', `HEAD~${commits}`).split('\n');
  const chosen = reach(changed);
  const rest = suites.filter((file) => !chosen.includes(file));
  console.error(
    [
      `The last ${commits} commits changed ${changed.length} files, which reach ${chosen.length} of ${suites.length} files of tests beside \`npm test\`.`,
      ...(rest.length > 0 ? ['Left out, because nothing that reaches them has changed (.ci/reached-tests.txt):'] : []),
      ...rest.map((file) => `  ${file}`),
    ].join('\n'),
  );
  return chosen;
};

if (import.meta.main) console.log(choose().join('\n'));
