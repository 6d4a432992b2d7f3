import * as z from 'zod/mini';

/**
 * What the interface's documents say of a value: a sentence, an example that its schema takes, and what else of
 * JSON Schema cannot be read off the schema itself, such as the type that a transform ends in.
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
  /** A schema that tells more than this one: of items that are checked one by one, so that a bad one fails alone. */
  documentAs?: z.core.$ZodType;
};

/** Gives a record a name of its own in the documents, by which operations refer to it. */
export const component = <S extends z.core.$ZodType>(name: string, description: string, schema: S): S => {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id: name, description });
  return schema;
};
