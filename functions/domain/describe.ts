import * as z from 'zod/mini';

/**
 * Documents a value: a sentence, a valid example, and JSON Schema keywords that do not follow from the zod schema, such
 * as the type that a transform returns.
 */
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

/** The field `message` of a response. */
export const confirmation = (example: string) => z.string().check(describe('Confirmation for a person.', example));

/** The response of an operation that deletes something. */
export const deletionResponse = (what: string, message: string) =>
  z.object({ message: confirmation(message) }).check(z.describe(`Confirmation that ${what} was deleted.`));

/** A boolean in a query, whose values are texts. */
export const booleanInQuery = (description: string, example: boolean) =>
  z
    .pipe(
      z
        .string()
        .check(z.refine((value) => /^(true|false)$/.test(value), { error: 'must be true or false', abort: true })),
      z.transform((value) => value === 'true'),
    )
    .check(describe(description, example, { type: 'boolean' }));

/** Registers a schema as a named component of the OpenAPI document. */
export const component = <S extends z.core.$ZodType>(name: string, description: string, schema: S): S => {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id: name, description });
  return schema;
};
