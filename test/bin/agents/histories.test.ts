import * as fc from 'fast-check';
import { expect } from 'vitest';
import { pulledWorld, read } from '../../support/agents-tool.ts';
import { itInAnyHistory } from '../../support/any-history.ts';

const fields = ['greeting', 'voice', 'model'] as const;

type Step =
  | { kind: 'edit file'; field: (typeof fields)[number]; value: number }
  | { kind: 'edit by API'; field: (typeof fields)[number]; value: number }
  | { kind: 'apply' }
  | { kind: 'apply beside an edit'; field: (typeof fields)[number]; value: number }
  | { kind: 'pull' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('edit file' as const, 'edit by API' as const, 'apply beside an edit' as const),
    field: fc.constantFrom(...fields),
    value: fc.integer({ min: 0, max: 3 }),
  }),
  fc.record({ kind: fc.constantFrom('apply' as const, 'pull' as const) }),
);

itInAnyHistory(
  'files of agents applied beside edits by API overwrite none of them silently',
  [3, 500],
  async (runs) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
        const world = await pulledWorld({ greeting: 'g', voice: 'v', model: 'm' });
        /** The edits by API that no file knows of yet. */
        const unseen = new Map<string, string>();
        let number = 0;
        const editByApi = async (field: string, value: number) => {
          const text = `api ${value} ${number++}`;
          await world.change({ configuration: { [field]: text } });
          unseen.set(field, text);
        };
        for (const one of steps) {
          if (one.kind === 'edit file') {
            const text = `file ${one.value} ${number++}`;
            world.edit(new RegExp(`  ${one.field}: .*`), `  ${one.field}: ${text}`);
          } else if (one.kind === 'edit by API') await editByApi(one.field, one.value);
          else if (one.kind === 'pull') {
            if ((await world.run('pull')).code === 0) unseen.clear();
          } else {
            const [{ code }] = await Promise.all([
              world.run('apply'),
              'field' in one ? editByApi(one.field, one.value) : undefined,
            ]);
            const { configuration } = await world.agent();
            // Whatever came of it, each edit is in force, or was taken over by a file that had its value.
            for (const [field, text] of unseen) {
              expect(configuration[field], `${one.kind}, ${code}, ${JSON.stringify(steps)}`).toBe(text);
            }
            if (code === 0 && !('field' in one)) {
              expect(unseen.size, read(world.folder)).toBe(0);
              expect((await world.run('apply')).stdout).toBe('1 unchanged.\n');
            }
          }
        }
      }),
      { numRuns: runs },
    );
  },
);
