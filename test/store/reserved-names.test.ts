import { globSync, readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { Condition } from '../../functions/store/expressions.ts';
import { table } from '../../functions/store/table.ts';
import { unique, useTargetInThisProcess } from '../support/world.ts';

beforeAll(useTargetInThisProcess);

const operators = new Set(['and', 'or', 'not', 'in', 'between']);

/** Returns the names without a `#` in the conditions of a source file. */
const findNames = (source: string) =>
  [...source.matchAll(/(?<![\w`])when`([^`]*)`/g)]
    .map(([, text = '']) => text.replaceAll(/\$\{[^}]*\}/g, ' '))
    .flatMap((text) => text.match(/(?<![#\w])[a-z]\w*(?![\w(])/gi) ?? [])
    .filter((name) => !operators.has(name));

it('a name in a condition that DynamoDB reserves has a #', async () => {
  const names = new Set(globSync('functions/**/*.ts').flatMap((path) => findNames(readFileSync(path, 'utf8'))));
  expect(names).toContain('deletedAt');
  const condition = new Condition([[...names].map((name) => `attribute_exists(${name})`).join(' and ')]);
  // A reserved name is a ValidationException.
  await table.get().delete({ pk: unique('nobody'), sk: 'nothing' }, condition);
});
