import { globSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { expect, it } from 'vitest';
import { findNearest, reach, suites, table } from '../.ci/reach.ts';

const files = globSync(['**', '.ci/*'], { exclude: ['node_modules/**', 'cdk.out/**', 'dist/**'] });
const product = files.filter((file) => /^(functions|bin|lib)\/.*\.[^.]+$/.test(file) && !file.endsWith('.md'));

it('a change of the product reaches every test that npm test leaves out', () => {
  expect(suites.length).toBeGreaterThan(0);
  expect(reach(product)).toEqual(suites);
});

it.each([...new Set(product.map((file) => /^(?:functions\/(?=.*\/))?[^/]+/.exec(file)?.[0]))])(
  'a change in %s reaches tests of its own behavior, beside those of the bundles',
  (folder) => {
    const ofBundles = reach(['functions/any-folder/any-file.ts']);
    const reached = reach(product.filter((file) => file.startsWith(`${folder}/`) || file === folder));
    expect(reached.filter((file) => !ofBundles.includes(file))).not.toEqual([]);
  },
);

it('every pattern of the table of reached tests matches a file', () => {
  expect(
    table.flatMap(([, reached]) => reached).filter((glob) => !suites.some((file) => matchesGlob(file, glob))),
  ).toEqual([]);
  expect(
    table.flatMap(([changed]) => changed).filter((glob) => !files.some((file) => matchesGlob(file, glob))),
  ).toEqual([]);
});

it.each([
  ['functions/pages/console/page.tsx', 'test/acceptance/pages/console.test.ts', 'test/deployed/deployment.test.ts'],
  ['functions/search/rank.ts', 'test/search/knowledge-search-histories.test.ts', 'test/acceptance/pages/chat.test.ts'],
  [
    'functions/jobs/finish-user-deletion.ts',
    'test/api/delete-user.test.ts',
    'test/search/knowledge-search-histories.test.ts',
  ],
  ['lib/alarms.ts', 'test/deployed/deployment.test.ts', 'test/acceptance/pages/chat.test.ts'],
  [
    'test/acceptance/pages/browser.ts',
    'test/acceptance/openapi/client-in-page.test.ts',
    'test/acceptance/bin/local/local.test.ts',
  ],
])('a change of %s reaches %s, but not %s', (changed, reached, other) => {
  expect(reach([changed])).toContain(reached);
  expect(reach([changed])).not.toContain(other);
});

it.each([
  [
    'functions/store/sources/source-texts.ts',
    'test/store/sources/sources.test.ts',
    'test/store/user-histories.test.ts',
  ],
  ['bin/operator/commands/user/delete.ts', 'test/bin/operator/deletion.test.ts', 'test/bin/outcomes/push.test.ts'],
  ['test/hooks/signatures.test.ts', 'test/hooks/signatures.test.ts', 'test/api/suspension.test.ts'],
])(
  'a change of %s runs the heavy tests of its folder without a sample, as in %s, but not in %s',
  (changed, near, far) => {
    expect(findNearest([changed])).toContain(near);
    expect(findNearest([changed])).not.toContain(far);
  },
);

it('a change of the documents of the repository reaches no test beside npm test', () => {
  expect(reach(['README.md', 'CHANGELOG.md', 'functions/README.md'])).toEqual([]);
});
