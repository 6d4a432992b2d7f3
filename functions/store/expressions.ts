type Fields = Record<string, unknown>;

/**
 * A change of an item: `set` replaces fields and clears those that are null (undefined ones stay), `initial` sets those
 * that are absent, `add` adds to a number or a set, `remove` takes members out of a set.
 */
export type Change = { set?: Fields; initial?: Fields; add?: Fields; remove?: Fields };

/** A condition of a write. A name that DynamoDB reserves has a `#` before it; values are named without their colon. */
export type Condition = { expression: string; values?: Fields };

/** A change as DynamoDB takes it, alone or in a transaction. */
export const updateOf = ({ set = {}, initial = {}, add = {}, remove = {} }: Change, condition?: Condition) => {
  const given = Object.entries({ ...set, ...initial, ...add, ...remove }).filter(([, value]) => value !== undefined);
  const clause = (verb: string, fields: Fields, isIn: (value: unknown) => boolean, form: (name: string) => string) => {
    const names = given.filter(([name, value]) => name in fields && isIn(value)).map(([name]) => form(name));
    return names.length > 0 ? [`${verb} ${names.join(', ')}`] : [];
  };
  const isNull = (value: unknown) => value === null;
  const isGiven = (value: unknown) => value !== null;
  return withNames({
    UpdateExpression: [
      ...clause('set', { ...set, ...initial }, isGiven, (name) =>
        name in initial ? `#${name} = if_not_exists(#${name}, :${name})` : `#${name} = :${name}`,
      ),
      ...clause('remove', set, isNull, (name) => `#${name}`),
      ...clause('add', add, isGiven, (name) => `#${name} :${name}`),
      ...clause('delete', remove, isGiven, (name) => `#${name} :${name}`),
    ].join(' '),
    ...(condition && { ConditionExpression: condition.expression }),
    values: { ...Object.fromEntries(given.filter(([, value]) => value !== null)), ...condition?.values },
  });
};

export const conditionOf = ({ expression, values = {} }: Condition) =>
  withNames({ ConditionExpression: expression, values });

/** Adds the attribute names and values that expressions refer to. */
const withNames = <E extends { UpdateExpression?: string; ConditionExpression?: string }>({
  values,
  ...expressions
}: E & { values: Fields }) => {
  const names = Object.values(expressions).flatMap((text) => String(text).match(/#\w+/g) ?? []);
  const entries = Object.entries(values).map(([name, value]) => [`:${name}`, value]);
  return {
    ...expressions,
    ...(names.length > 0 && {
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [name, name.slice(1)])),
    }),
    ...(entries.length > 0 && { ExpressionAttributeValues: Object.fromEntries(entries) as Fields }),
  };
};
