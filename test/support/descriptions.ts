import type { Content, JsonSchema, OpenApiDocument, Operation } from '../../functions/openapi/openapi.ts';

/**
 * Returns the gaps of a document: each property or parameter without a description, type or example, and each operation or
 * response without a description. An example may be the schema's own or built from those of its parts.
 */
export const unsaid = (document: OpenApiDocument): string[] => {
  const found: string[] = [];
  const resolve = (schema: JsonSchema): JsonSchema =>
    schema.$ref ? (document.components.schemas[schema.$ref.split('/').at(-1) as string] as JsonSchema) : schema;

  const hasExample = (schema: JsonSchema): boolean => {
    const { examples, properties, items, anyOf } = resolve(schema);
    if (examples) return examples.length > 0;
    if (properties) return Object.values(properties).every(hasExample);
    return items ? hasExample(items) : (anyOf?.some(hasExample) ?? false);
  };
  const hasType = (schema: JsonSchema): boolean => {
    const { type, anyOf, oneOf, description } = resolve(schema) as JsonSchema & { oneOf?: JsonSchema[] };
    if (/, of any type\./.test(String(description))) return true;
    return type !== undefined || (anyOf ?? oneOf)?.every(hasType) === true;
  };
  const value = (where: string, schema: JsonSchema, described = schema.description, exampled = hasExample(schema)) => {
    if (!described && !resolve(schema).description) found.push(`${where} has no description`);
    if (!hasType(schema)) found.push(`${where} has no type`);
    if (!exampled) found.push(`${where} has no example`);
    if (!schema.$ref) inside(where, schema);
  };
  const inside = (where: string, schema: JsonSchema) => {
    for (const [name, property] of Object.entries(schema.properties ?? {})) value(`${where}.${name}`, property);
    if (schema.items && !schema.items.$ref) inside(`${where}[]`, schema.items);
    for (const branch of schema.anyOf ?? []) if (!branch.$ref) inside(where, branch);
  };
  const content = (where: string, types: Record<string, Content> = {}) => {
    for (const { schema } of Object.values(types)) if (!schema.$ref) inside(where, schema);
  };
  const operation = (where: string, { summary, description, parameters = [], requestBody, responses }: Operation) => {
    if (!summary) found.push(`${where} has no summary`);
    if (!description) found.push(`${where} has no description`);
    for (const parameter of parameters) {
      if ('$ref' in parameter) continue;
      const { name, schema, description: says, example } = parameter as typeof parameter & Record<string, never>;
      value(`${where} parameter ${name}`, schema, says, example !== undefined);
    }
    if (requestBody) content(`${where} request body`, requestBody.content);
    for (const [status, answer] of Object.entries(responses)) {
      if (!answer.description) found.push(`${where} ${status} has no description`);
      content(`${where} answer ${status}`, answer.content);
    }
  };

  for (const item of Object.values(document.paths)) {
    for (const one of Object.values(item)) operation(one.operationId, one);
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    if (!schema.description) found.push(`${name} has no description`);
    inside(name, schema);
  }
  return found;
};
