import * as z from 'zod/mini';
import { type CreateDocumentOptions, createSchema } from 'zod-openapi';
import { withoutUndefined } from '../domain/json.ts';
import type { Json, JsonSchema, OpenApiDocument } from './openapi.ts';

type Override = NonNullable<CreateDocumentOptions['override']>;

/** Adapts zod's JSON Schema to this document. `components` collects those that only a `documentAs` needs. */
export const schemaOverride = (components: Record<string, JsonSchema>): Override => {
  const override: Override = ({ zodSchema, jsonSchema, io }) => {
    const json = jsonSchema as JsonSchema;
    // Zod omits the examples of a transformed schema. Here they are valid before and after the transformation.
    const { examples } = z.globalRegistry.get(zodSchema) ?? {};
    if (examples) json.examples ??= examples as unknown[];
    // Zod adapts a nullable schema before the one that it may be null beside.
    for (const one of [json, ...(json.anyOf ?? [])].filter(({ documentAs }) => documentAs)) {
      const { documentAs, description, examples } = one;
      const documented = createSchema(documentAs as z.core.$ZodType, { io, opts: { override } });
      Object.assign(components, documented.components);
      replace(one, { ...(documented.schema as Json), ...withoutUndefined({ description, examples }) });
    }
    // The pattern that zod adds repeats the format at great length.
    if (json.format === 'date-time') delete json.pattern;
    // Fields may be added to responses, and unknown fields of requests are ignored.
    if (json.additionalProperties === false) delete json.additionalProperties;
    if (json.type === 'object' && !json.properties) json.additionalProperties ??= {};
    delete json.propertyNames;
    // A generator for Java makes a class of it that does not compile.
    if (json.type === 'boolean') delete json.const;
    if (json.type === 'integer') {
      if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
      if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
    }
    mergeNull(json);
  };
  return override;
};

/** Rewrites a nullable schema as one with two types, so that its description and examples are its own and not a branch's. */
const mergeNull = (json: JsonSchema) => {
  const [value, nothing, ...others] = json.anyOf ?? [];
  if (!value || value.$ref || nothing?.type !== 'null' || others.length > 0) return;
  const { anyOf: _, ...own } = json;
  const { description, examples, ...rest } = value;
  const nullable = typeof rest.type === 'string' ? { ...rest, type: [rest.type, 'null'] } : { anyOf: [rest, nothing] };
  replace(json, { ...nullable, ...withoutUndefined({ description, examples }), ...own });
};

/** Writes a list of types as one schema for each: a generator for Go reads no list, except of a type and null. */
export const splitTypes = (part: unknown): void => {
  if (typeof part !== 'object' || part === null) return;
  const { type } = part as JsonSchema;
  if (Array.isArray(type) && type.filter((one) => one !== 'null').length > 1) {
    delete (part as JsonSchema).type;
    Object.assign(part, { anyOf: type.map((one) => ({ type: one })) });
  }
  for (const one of Object.values(part)) splitTypes(one);
};

const replace = (json: Json, content: Json) => {
  for (const key of Object.keys(json)) delete json[key];
  Object.assign(json, content);
};

/** Returns the example of a schema, or one built from the examples of its parts. */
export const buildExample = (document: OpenApiDocument, schema: JsonSchema): unknown => {
  const resolved = resolve(document, schema);
  const { examples, properties, items, anyOf, type, additionalProperties } = resolved;
  if (examples) return examples[0];
  if ('const' in resolved) return resolved.const;
  if (properties) {
    return withoutUndefined(
      Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, buildExample(document, property)]),
      ),
    );
  }
  if (items) {
    const item = buildExample(document, items);
    return item === undefined ? undefined : [item];
  }
  if (anyOf) return anyOf.map((one) => buildExample(document, one)).find((example) => example !== undefined);
  return type === 'object' && additionalProperties ? {} : undefined;
};

/** Returns the schema, or the component that it refers to. */
export const resolve = (document: OpenApiDocument, schema: JsonSchema): JsonSchema =>
  schema.$ref ? (document.components.schemas[componentName(schema.$ref)] as JsonSchema) : schema;

/** Returns the name of the component that a reference points to. */
export const componentName = (reference: string) => reference.split('/').at(-1) as string;
