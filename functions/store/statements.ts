import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { convertToAttr } from '@aws-sdk/util-dynamodb';
import type { Condition, Fields } from './expressions.ts';
import type { ItemKey } from './keys.ts';

/** A PartiQL statement for one item, and its parameters. */
export type Statement = { text: string; values: AttributeValue[] };

/** The maximum number of statements in a batch. */
export const statementsPerBatch = 25;

/** Returns the statement that inserts an item. An existing key is `DuplicateItem`. */
export const insertStatement = (tableName: string, item: ItemKey): Statement => {
  const given = Object.entries(item).filter(([, value]) => value !== undefined);
  const names = given.map(([name]) => `'${name}':?`);
  return {
    text: `INSERT INTO "${tableName}" VALUE {${names}}`,
    values: given.map(([, value]) => attributeValue(value)),
  };
};

/** Returns the statement that sets fields, or removes null fields, on a condition. */
export const updateStatement = (
  tableName: string,
  { pk, sk }: ItemKey,
  fields: Fields,
  condition: Condition,
): Statement => {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const set = given.filter(([, value]) => value !== null);
  const removed = given.filter(([, value]) => value === null);
  const changes = [...set.map(([name]) => `SET "${name}"=?`), ...removed.map(([name]) => `REMOVE "${name}"`)];
  const isAt = condition.parts.map((part) => (typeof part === 'string' ? part.replace(/#(\w+)/g, '"$1"') : '?'));
  const asked = condition.parts.flatMap((part) => (typeof part === 'string' ? [] : [part.value]));
  return {
    text: `UPDATE "${tableName}" ${changes.join(' ')} WHERE pk=? AND sk=? AND ${isAt.join('')}`,
    values: [...set.map(([, value]) => value), pk, sk, ...asked].map(attributeValue),
  };
};

const attributeValue = (value: unknown): AttributeValue => convertToAttr(value as string);
