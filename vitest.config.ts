import { matchesGlob, relative } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { makePatience } from './test/support/patience.ts';

/** Test files that read the whole table. They run first, while it is small: it grows with every test. */
export const wholeTable = [
  'test/api/delete-{agent,user}*.test.ts',
  'test/api/erasures*.test.ts',
  'test/api/{block-list-rules,outbound-call-starts,person-exports,transcripts}.test.ts',
  'test/bin/operator/{deletion,everyday,restore}.test.ts',
  'test/hooks/near-silent-ends.test.ts',
  'test/jobs/expire-calls.test.ts',
  'test/store/users.test.ts',
];

/** Test files that wait for time limits and retries. They run far apart: processes that wait together leave a processor idle. */
const waiting = [
  'test/api/{call-figures,hooks-without-table,many-items-of-a-slow-table,webhook-endpoint-deliveries}.test.ts',
  'test/bin/local/{change-reader,disk}.test.ts',
  'test/clients/{public-web/web-pages,secrets}.test.ts',
  'test/openapi/client-failures.test.ts',
];

/** Returns the files that match a pattern, and the others. */
const partition = (files: TestSpecification[], patterns: string[]) => {
  const isAmong = ({ moduleId }: TestSpecification) =>
    patterns.some((pattern) => matchesGlob(relative(import.meta.dirname, moduleId), pattern));
  return [files.filter(isAmong), files.filter((file) => !isAmong(file))] as const;
};

class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files);
    const [first, others] = partition(sorted, wholeTable);
    const [apart, rest] = partition(others, waiting);
    const distance = Math.ceil(rest.length / 2 / apart.length) + 1;
    return [...first, ...apart.reduce((all, file, index) => all.toSpliced(index * distance, 0, file), rest)];
  }
}

/** Options of Node. Most objects of a test are garbage soon: a larger space for young ones is collected less often. */
export const youngSpace = ['--min-semi-space-size=16', '--max-semi-space-size=32'];

const { exclude } = configDefaults;

/** What the tests of this command and of the others have in common. */
export const common = {
  tags: [
    {
      name: 'heavy',
      description: 'Takes seconds of a processor, or writes much: runs in npm run test:acceptance.',
      timeout: 900_000,
    },
    {
      name: 'local-only',
      description: 'Injects faults into a handler in its own process, or needs what the emulated deployment lacks.',
    },
  ],
  setupFiles: [
    'test/support/fresh-modules.ts',
    'test/support/quiet-logs.ts',
    'test/support/cpu-seconds.ts',
    'test/support/strict-transactions.ts',
  ],
  pool: 'forks' as const,
  isolate: false,
  execArgv: youngSpace,
};

/** The tests of behavior. */
export const tests = {
  ...common,
  ...{ tagsFilter: ['!heavy'] },
  include: ['test/**/*.test.ts'],
  // Those have their own commands: npm run test:acceptance, npm run test:deployed.
  exclude: [...exclude, 'test/acceptance/**', 'test/deployed/**'],
  ...makePatience(50),
  testTimeout: 60_000,
  hookTimeout: 120_000,
};

export const run = {
  globalSetup: ['test/support/global-setup.ts'],
  sequence: { sequencer: TestOrder },
  // One more than a small machine has processors, since tests wait for the service. Each process loads the packages again.
  maxWorkers: 3,
};

/** They load the CDK, which takes longer than their tests: one process does, while the service starts. */
const stacks = 'test/lib/**/*.test.ts';

export default defineConfig({
  test: {
    ...run,
    projects: [
      { test: { ...tests, name: 'stacks', include: [stacks], maxWorkers: 1, sequence: { groupOrder: 0 } } },
      { test: { ...tests, name: 'service', exclude: [...tests.exclude, stacks], sequence: { groupOrder: 1 } } },
    ],
  },
});
