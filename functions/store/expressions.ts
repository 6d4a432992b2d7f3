export type Fields = Record<string, unknown>;

/**
 * A change: `set` replaces, or clears with null; `initial` sets absent fields; `add` and `remove` are for numbers and
 * sets.
 */
export type Change = { set?: Fields; initial?: Fields; add?: Fields; remove?: Fields };

/** A condition built by `when`: parts of an expression with values between. */
export class Condition {
  readonly parts: (string | { value: unknown })[];

  constructor(parts: (string | { value: unknown })[]) {
    this.parts = parts;
  }
}

/** Builds a condition: when`attempt = ${attempt}`. Reserved names get a `#`; a value may be a condition. */
export const when = (texts: TemplateStringsArray, ...values: unknown[]): Condition =>
  new Condition(
    texts.flatMap((text, index) => {
      if (index === 0) return [text];
      const value = values[index - 1];
      return [...(value instanceof Condition ? value.parts : [{ value }]), text];
    }),
  );

export const exists = when`attribute_exists(pk)`;
export const isAbsent = when`attribute_not_exists(pk)`;
/** An item that says that it is deleted. */
export const isDeleted = when`attribute_exists(deletedAt)`;

/** Returns a change as the input of any update. */
export const buildUpdate = ({ set = {}, initial = {}, add = {}, remove = {} }: Change, condition?: Condition) => {
  const given = Object.entries({ ...set, ...initial, ...add, ...remove }).filter(([, value]) => value !== undefined);
  const clause = (verb: string, fields: Fields, isIn: (value: unknown) => boolean, form: (name: string) => string) => {
    const names = given.filter(([name, value]) => name in fields && isIn(value)).map(([name]) => form(name));
    return names.length > 0 ? [`${verb} ${names.join(', ')}`] : [];
  };
  const isNull = (value: unknown) => value === null;
  const isGiven = (value: unknown) => value !== null;
  const { ConditionExpression, values } = rendered(condition);
  return withNames({
    UpdateExpression: [
      ...clause('set', { ...set, ...initial }, isGiven, (name) =>
        name in initial ? `#${name} = if_not_exists(#${name}, :${name})` : `#${name} = :${name}`,
      ),
      ...clause('remove', set, isNull, (name) => `#${name}`),
      ...clause('add', add, isGiven, (name) => `#${name} :${name}`),
      ...clause('delete', remove, isGiven, (name) => `#${name} :${name}`),
    ].join(' '),
    ...(ConditionExpression && { ConditionExpression }),
    values: { ...Object.fromEntries(given.filter(([, value]) => value !== null)), ...values },
  });
};

/** Returns a condition as the input of a write. */
export const buildCondition = (condition: Condition | undefined) => condition && withNames(rendered(condition));

const rendered = (condition: Condition | undefined) => {
  const values: Fields = {};
  const texts = condition?.parts.map((part) => {
    if (typeof part === 'string') return part;
    const name = `condition${Object.keys(values).length}`;
    values[name] = part.value;
    return `:${name}`;
  });
  return { ConditionExpression: texts?.join(''), values };
};

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
