import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { OwnApi, OwnRequest } from '../../functions/clients/own-api.ts';
import { McpTools } from '../../functions/mcp/tools.ts';
import type { JsonSchema } from '../../functions/openapi/openapi.ts';
import type { OperationTool } from '../../functions/openapi/operations.ts';

const tools: OperationTool[] = JSON.parse(readFileSync('functions/openapi/tools.json', 'utf8'));
const served = new McpTools({ deletes: true });

/** Returns the request that a tool call makes, or the error that it has instead. */
const callTool = async (name: string, args: unknown): Promise<unknown> => {
  let sent: OwnRequest | undefined;
  const send = async (request: OwnRequest) => {
    sent = request;
    return { status: 200, body: {} };
  };
  const api = { send } as unknown as OwnApi;
  const result = await served.call({ api, apiKey: 'k' }, { name, arguments: structuredClone(args) }, async () => 'u');
  return sent ?? result.structuredContent;
};

/** Returns a value of a schema with the fields that it requires. */
const sample = ({ type, anyOf, items, properties = {}, required = [], ...schema }: JsonSchema): unknown => {
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (anyOf) return sample(anyOf[0] as JsonSchema);
  if (type === 'array') return [sample(items as JsonSchema)];
  if (type === 'object')
    return Object.fromEntries(required.map((name) => [name, sample(properties[name] as JsonSchema)]));
  if (type === 'string') return schema.format === 'date-time' ? '2026-03-01T10:00:00Z' : 'x';
  return type === 'boolean' ? true : (schema.minimum ?? 1);
};

/** Returns what stands for no value of a schema. */
const listEmpty = ({ type, format, minItems, minimum, ...schema }: JsonSchema): unknown[] => [
  null,
  ...['', ...(type !== 'string' || format || schema.enum ? [' ', 'null'] : [])],
  ...(minItems === 1 ? [[], '[]'] : []),
  ...(type === 'object' ? [{}, '{}'] : []),
  ...(Number(minimum) > 0 ? [0, '0'] : []),
];

type Filling = { path: string; filled: unknown; without: unknown };

/** Lists the values of a schema in which one field is filled in without a value, each with the value that lacks it. */
const listFillings = (schema: JsonSchema, path = ''): Filling[] => {
  const { type, items, properties = {} } = schema;
  if (type === 'array')
    return listFillings(items as JsonSchema, `${path}[]`).map(({ path, filled, without }) => ({
      ...{ path, filled: [filled], without: [without] },
    }));
  if (type !== 'object') return [];
  const base = sample(schema) as Record<string, unknown>;
  return Object.entries(properties).flatMap(([name, property]) => {
    const { [name]: _, ...others } = base;
    const here = listEmpty(property).map((empty) => ({
      ...{ path: `${path}.${name} ${JSON.stringify(empty)}`, filled: { ...base, [name]: empty }, without: others },
    }));
    const within = listFillings(property, `${path}.${name}`).map(({ path, filled, without }) => ({
      ...{ path, filled: { ...base, [name]: filled }, without: { ...base, [name]: without } },
    }));
    return [...here, ...within];
  });
};

it.each(tools)(
  'what a model fills in for any argument of $name without a value says nothing',
  async ({ name, inputSchema }) => {
    for (const { path, filled, without } of listFillings(inputSchema))
      expect([path, await callTool(name, filled)]).toEqual([path, await callTool(name, without)]);
  },
);

const document = JSON.parse(readFileSync('functions/openapi/document.json', 'utf8'));
const resolve = (schema: JsonSchema): JsonSchema =>
  schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1) as string] : schema;
const isNullable = ({ type, anyOf = [] }: JsonSchema) =>
  [type].flat().includes('null') || anyOf.some((one) => one.type === 'null');

/** Lists the fields that a change over HTTP clears by `null`. */
const listNullable = ({ properties = {} }: JsonSchema): string[] =>
  Object.entries(properties).flatMap(([name, property]) => {
    const schema = resolve(property);
    return isNullable(schema) ? [name] : listNullable(schema).map((nested) => `${name}.${nested}`);
  });

const changes = Object.values(document.paths as Record<string, Record<string, JsonSchema>>).flatMap(({ patch }) => {
  const { operationId, requestBody } = (patch ?? {}) as { operationId?: string; requestBody?: unknown };
  const tool = tools.find(({ name }) => name === operationId);
  const body = (requestBody as { content: Record<string, { schema: JsonSchema }> } | undefined)?.content[
    'application/json'
  ];
  return tool && body ? listNullable(resolve(body.schema)).map((field) => ({ tool, field })) : [];
});

it('each field that null clears over HTTP is cleared by its name', async () => {
  expect(changes.map(({ field }) => field)).toEqual(
    expect.arrayContaining([
      'phoneNumber',
      'configuration.greeting',
      'refreshEvery',
      'custom_call_metadata',
      'agentIds',
    ]),
  );
  for (const { tool, field } of changes) {
    const args = sample(tool.inputSchema) as object;
    const request = (await callTool(tool.name, { ...args, clear: [field] })) as OwnRequest;
    const cleared = field.split('.').reduceRight<unknown>((value, name) => ({ [name]: value }), null);
    expect([field, JSON.parse(request.body ?? '')]).toMatchObject([field, cleared as object]);
    const { enum: choices } = tool.inputSchema.properties?.clear?.items ?? {};
    expect(choices ?? [field]).toContain(field);
  }
});
