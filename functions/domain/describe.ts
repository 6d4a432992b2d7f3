import * as z from 'zod/mini';

/** Documents a value: a sentence, an example, and JSON Schema keywords that the zod schema does not tell. */
export const describe = <T>(description: string, example: NoInfer<T>, keywords: JsonSchemaKeywords = {}) =>
  z.meta<T>({ description, examples: [example], ...keywords });

export type JsonSchemaKeywords = {
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  /** The schema to document instead of this one, whose items are validated one by one. */
  documentAs?: z.core.$ZodType;
};

/** Documents a new schema itself. `.check(describe(…))` makes a copy, in the time that the schema took. */
const documented = <S extends z.core.$ZodType>(
  schema: S,
  description: string,
  example?: unknown,
  keywords?: JsonSchemaKeywords,
): S => {
  z.globalRegistry.add(schema, { description, ...(example !== undefined && { examples: [example] }), ...keywords });
  return schema;
};

/** Declares a field with its sentence and an example. */
export const textField = (description: string, example: string, keywords?: JsonSchemaKeywords) =>
  documented(z.string(), description, example, keywords);
export const numberField = (description: string, example: number, keywords?: JsonSchemaKeywords) =>
  documented(z.number(), description, example, keywords);
export const integerField = (description: string, example: number, keywords?: JsonSchemaKeywords) =>
  documented(z.int(), description, example, keywords);
export const flagField = (description: string, example: boolean) => documented(z.boolean(), description, example);
/** Declares a whole number that the service computes, whose range is not checked. */
export const wholeField = (description: string, example: number) =>
  numberField(description, example, { type: 'integer' });
/** Declares a field with one of some texts. */
export const choiceField = <const V extends readonly string[]>(values: V, description: string, example: V[number]) =>
  documented(z.enum(values), description, example);
/** Declares a list. Without an example, that of its items stands for it. */
export const listField = <S extends z.core.$ZodType>(item: S, description: string, example?: z.core.input<S>[]) =>
  documented(z.array(item), description, example);
/** Declares an object with its sentence. */
export const describedObject = <Fields extends z.core.$ZodLooseShape>(description: string, fields: Fields) =>
  documented(z.object(fields), description);
/** Declares a field that is `true` or absent. */
export const markField = (description: string) => documented(z.literal(true), description, true);

/** The field `message` of a response. */
export const confirmation = (example: string) => textField('Confirmation for a person.', example);

/** The response of an operation that deletes something. */
export const deletionResponse = (what: string, message: string) =>
  describedObject(`Confirmation that ${what} was deleted.`, { message: confirmation(message) });

/** A boolean in a query, whose values are texts: `true`, or `True` as Python writes it. */
export const booleanInQuery = (description: string, example: boolean) =>
  z
    .pipe(
      z
        .string()
        .check(z.refine((value) => /^(true|false)$/i.test(value), { error: 'must be true or false', abort: true })),
      z.transform((value) => value.toLowerCase() === 'true'),
    )
    .check(describe(description, example, { type: 'boolean' }));

/** Registers a schema as a named component of the OpenAPI document. */
export const component = <S extends z.core.$ZodType>(name: string, description: string, schema: S): S => {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id: name, description });
  return schema;
};

/** Registers an object with these fields as a named component. */
export const objectComponent = <Fields extends z.core.$ZodLooseShape>(
  name: string,
  description: string,
  fields: Fields,
) => component(name, description, z.object(fields));
