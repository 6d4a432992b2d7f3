import * as fc from 'fast-check';
import { expect } from 'vitest';
import { pulledWorld, read } from '../../support/agents-tool.ts';
import { itInAnyHistory } from '../../support/any-history.ts';
import { startBetween } from '../../support/between.ts';

const field = fc.constantFrom('greeting', 'voice', 'model');

const step = fc.oneof(
  fc.record({ kind: fc.constantFrom('edit the file', 'edit by API'), field }),
  // The edit comes before one of the requests that `apply` makes.
  fc.record({ kind: fc.constant('apply beside an edit'), field, before: fc.nat(6) }),
  fc.record({ kind: fc.constantFrom('apply', 'pull') }),
);
type Step = { kind: string; field?: string; before?: number };

/** Before its fifth request, `apply` has compared, and is about to write. */
const betweenReadAndWrite: Step[] = [
  { kind: 'edit the file', field: 'greeting' },
  { kind: 'apply beside an edit', field: 'greeting', before: 4 },
];

itInAnyHistory('applying files of agents during edits by API overwrites no edit silently', [2, 40], async (runs) => {
  const history = fc.array(step as fc.Arbitrary<Step>, { minLength: 3, maxLength: 8 });
  await fc.assert(fc.asyncProperty(history, play), { numRuns: runs, examples: [[betweenReadAndWrite]] });
});

const play = async (steps: Step[]) => {
  const world = await pulledWorld({ greeting: 'g', voice: 'v', model: 'm' });
  let beforeRequest = async () => {};
  await using between = await startBetween(async () => void (await beforeRequest()));
  const run = (command: string, ...flags: string[]) => world.run(command, '--base-url', between.baseUrl, ...flags);
  await run('pull', '--overwrite');
  /** The edits by API that the file does not know of. */
  const unseen = new Map<string, string>();
  let edits = 0;
  const editByApi = async (field: string) => {
    const text = `by API ${edits++}`;
    await world.change({ configuration: { [field]: text } });
    unseen.set(field, text);
  };
  for (const { kind, field = '', before } of steps) {
    if (kind === 'edit the file') world.edit(new RegExp(`  ${field}: .*`), `  ${field}: in the file ${edits++}`);
    else if (kind === 'edit by API') await editByApi(field);
    else if (kind === 'pull') {
      if ((await run('pull')).code === 0) unseen.clear();
    } else {
      let requests = 0;
      beforeRequest = async () => {
        if (requests++ === before) await editByApi(field);
      };
      const { code } = await run('apply');
      beforeRequest = async () => {};
      expect([0, 1]).toContain(code);
      expect((await world.agent()).configuration, JSON.stringify(steps)).toMatchObject(Object.fromEntries(unseen));
      if (code === 0 && kind === 'apply') {
        expect(unseen, read(world.folder)).toEqual(new Map());
        expect((await run('apply')).stdout).toBe('1 unchanged.\n');
      }
    }
  }
};
