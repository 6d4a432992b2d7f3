import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { createSchema } from 'zod-openapi';
import { generatedFiles } from '../../bin/openapi/generated-files.ts';
import { describe as describeField } from '../../functions/domain/describe.ts';
import { FormFile } from '../../functions/domain/uploaded-file.ts';
import { type AnyEndpoint, endpoint } from '../../functions/http/endpoint.ts';
import { openApiDocument } from '../../functions/openapi/document.ts';
import type { OpenApiDocument, Operation } from '../../functions/openapi/openapi.ts';
import { schemaOverride, splitTypes } from '../../functions/openapi/schemas.ts';
import { routes } from '../../functions/routes.ts';
import { unsaid } from '../support/descriptions.ts';

const document = openApiDocument(routes);

it('the OpenAPI document is kept up to date, with what follows from it: run `npm run openapi` when this fails', () => {
  const outdated = Object.entries(generatedFiles(document)).filter(
    ([file, text]) => readFileSync(file, 'utf8') !== text,
  );
  expect(outdated.map(([file]) => file)).toEqual([]);
});

it('the OpenAPI document has version 3.1, and passes Redocly’s strict rules without an error or a warning', {
  tags: 'heavy',
}, async () => {
  expect(document.openapi).toBe('3.1.0');
  expect(await lint(document)).toEqual([]);
});

it('each component of the OpenAPI document is the same as when its schema is converted alone, with every bound', () => {
  const convert = (name: string, io: 'input' | 'output') => {
    const schema = z.globalRegistry._idmap.get(name) as z.core.$ZodType;
    const converted = createSchema(schema, { io, opts: { override: schemaOverride({}) } }).components[name];
    splitTypes(converted);
    return converted;
  };
  for (const [name, component] of Object.entries(document.components.schemas))
    expect([convert(name, 'input'), convert(name, 'output')], name).toContainEqual(component);
});

it('the OpenAPI document has every operation of the route table, by its name', () => {
  const described = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
  );
  expect(described.sort()).toEqual(routes.map(({ method, path, name }) => `${method} ${path} ${name}`).sort());
});

it('the OpenAPI document describes every property and parameter, and gives an example of each', () => {
  expect(unsaid(document)).toEqual([]);
});

it('the OpenAPI document cannot be made of an endpoint without a description', () => {
  expect(() => openApiDocument([{ ...bare, description: undefined }])).toThrow('getNothing has no description.');
  expect(() => openApiDocument([{ ...bare, response: z.object({}) }])).toThrow(
    'getNothing does not describe its response',
  );
  expect(() => openApiDocument([{ ...bare, path: '/nowhere' }])).toThrow('getNothing is at /nowhere');
  expect(() => openApiDocument([{ ...bare, path: '/agents/{agentId}' }])).toThrow('path variable agentId');
  expect(() => openApiDocument([{ ...bare, errorDescriptions: { 404: 'Not there.' } }])).toThrow(
    'getNothing describes 404',
  );
});

it('the OpenAPI document has no empty description', () => {
  const descriptions = [...JSON.stringify(document).matchAll(/"description":"([^"]*)"/g)].map(([, text]) => text);
  expect(
    descriptions.filter((text) => /^(Done|The agent|The call|The document|The website|Its name)\.?$/.test(text ?? '')),
  ).toEqual([]);
});

it('the OpenAPI document is rejected when an endpoint does not describe a property, which is named', () => {
  const endpoints = [
    {
      ...bare,
      query: z.object({ bare: z.string(), described: z.string().check(z.describe('Only described.')) }),
      response: z
        .object({
          items: z.array(z.object({ name: z.string() })).check(z.describe('The items.')),
          untyped: z.unknown().check(describeField('Anything.', 1)),
        })
        .check(z.describe('The items.')),
    },
  ];
  expect(unsaid(openApiDocument(endpoints)).filter((line) => /^getNothing/i.test(line))).toEqual([
    'getNothing parameter bare has no description',
    'getNothing parameter bare has no example',
    'getNothing parameter described has no example',
    'GetNothingResponse.items has no example',
    'GetNothingResponse.items[].name has no description',
    'GetNothingResponse.items[].name has no example',
    'GetNothingResponse.untyped has no type',
  ]);
});

it('the OpenAPI document describes a form with files, a stream, and a key that may be left out', async () => {
  const form = { files: ['files', 'file'], maxFiles: 3, read: async () => ({}) };
  const sending = {
    ...bare,
    method: 'POST',
    body: z.object({
      uid: z.string().check(describeField('Whose.', 'demo-user')),
      files: z.array(FormFile).check(z.maxLength(3), z.describe('The files.')),
    }),
    caller: { kind: 'anyone', key: 'optional' },
    raw: { multipart: form, responds: 'stream' },
    response: z.string().check(describeField('Events.', 'data: [DONE]\n\n')),
  } as unknown as AnyEndpoint;
  const made = openApiDocument([sending]);
  const { requestBody, responses, security } = (made.paths['/chat/nothing'] as Record<string, Operation>)
    .post as Operation;
  expect(requestBody?.content['multipart/form-data']?.schema).toMatchObject({
    required: ['uid', 'files'],
    properties: {
      uid: { type: 'string', description: 'Whose.' },
      files: { type: 'array', items: { type: 'string', format: 'binary' }, maxItems: 3, description: 'The files.' },
    },
  });
  expect(responses[200]?.content).toEqual({
    'text/event-stream': { schema: expect.objectContaining({ type: 'string' }), example: 'data: [DONE]\n\n' },
  });
  expect(Object.keys(responses)).toEqual(['200', '400', '401', '403', '413', '415', '429', '500']);
  expect(security).toEqual([{}, { apiKey: [] }]);
  expect(unsaid(made)).toEqual([]);
  expect(await lint(made)).toEqual([]);
});

it('the OpenAPI document is rejected when two different records have the same name', () => {
  const twin = (field: string) => {
    const schema = z.object({ [field]: z.string() });
    z.globalRegistry.add(schema, { id: 'Twin', description: 'One of two.' });
    return schema;
  };
  const endpoints = [
    { ...bare, response: z.object({ a: twin('a') }).check(z.describe('A.')) },
    { ...bare, name: 'getMore', path: '/agents', response: z.object({ b: twin('b') }).check(z.describe('B.')) },
  ];
  expect(() => openApiDocument(endpoints)).toThrow('Duplicate schema id "Twin"');
});

const lint = async (made: OpenApiDocument) => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: JSON.stringify(made), absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
};

const bare = endpoint({
  name: 'getNothing',
  method: 'GET',
  path: '/chat/nothing',
  summary: 'Get nothing',
  description: 'Gets nothing.',
  caller: { kind: 'anyone' },
  response: z.object({}).check(z.describe('Nothing.')),
  async handle() {
    return {};
  },
});

it('no boolean of the document has one value: a generator for Java makes a class of it that does not compile', () => {
  const booleans = JSON.stringify(document).match(/"type":"boolean"[^{}]*"(const|enum)"/g) ?? [];
  expect(booleans).toEqual([]);
});

it('a schema of the document has one type, or one and null: generators for Go read no other list', () => {
  const lists = JSON.stringify(document).match(/"type":\[[^\]]*\]/g) ?? [];
  expect([...new Set(lists)].filter((list) => !/^"type":\["\w+","null"\]$/.test(list))).toEqual([]);
  expect(lists.length).toBeGreaterThan(10);
});
