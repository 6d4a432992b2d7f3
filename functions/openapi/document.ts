import * as z from 'zod/mini';
import { component, describe } from '../domain/describe.ts';
import { type ErrorCode, errorStatuses } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { AnyEndpoint } from '../http/endpoint.ts';

/** The version of the interface (contract section 9), not of this code. */
const version = '1.0.0';

export type Json = Record<string, unknown>;
export type JsonSchema = Json & {
  $ref?: string;
  type?: string | string[];
  description?: string;
  examples?: unknown[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
};
export type Operation = Json & {
  operationId: string;
  parameters?: (Json & { name: string; in: string; schema: JsonSchema })[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { description: string; headers?: Json; content: Record<string, Content> }>;
};
export type Content = { schema: JsonSchema; example?: unknown; examples?: Record<string, { $ref: string }> };
export type OpenApiDocument = Json & {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema> } & Json;
};

/** The OpenAPI 3.1 document of the interface. It says nothing that is not in the route table, or in the kit that serves it. */
export const openApiDocument = (routes: AnyEndpoint[]): OpenApiDocument => {
  const schemas = new Schemas();
  const paths: OpenApiDocument['paths'] = {};
  for (const endpoint of routes) {
    paths[endpoint.path] ??= {};
    Object.assign(paths[endpoint.path] as object, { [endpoint.method.toLowerCase()]: operationOf(endpoint, schemas) });
  }
  schemas.convert(ErrorBody, 'output');
  const used = new Set(routes.map(tagOf));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Voice Agent Platform API',
      version,
      summary:
        'Manages voice agents: block lists, agents, calls and their outcomes, knowledge, invoices and a build chat.',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that this document was got from.' }],
    tags: tags.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: schemas.components(),
      securitySchemes: onlyUsed(securitySchemes, (name) => `"${name}":[]`, paths),
      headers: onlyUsed(headers, (name) => `"#/components/headers/${name}"`, paths),
      examples: onlyUsed(examplesOfErrors(), (name) => `"#/components/examples/${name}"`, paths),
      parameters: onlyUsed({ IdempotencyKey }, (name) => `"#/components/parameters/${name}"`, paths),
    },
  };
};

/** The components that the operations refer to; one that none does is left out. */
const onlyUsed = <T>(components: Record<string, T>, reference: (name: string) => string, paths: object) => {
  const text = JSON.stringify(paths);
  return Object.fromEntries(Object.entries(components).filter(([name]) => text.includes(reference(name))));
};

const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Authorization',
    description:
      'An API key, `vap_…`. A leading `Bearer ` is tolerated. Keys are made by the operator of the service, belong to one user, and may be limited to scopes.',
  },
  applicationOrigin: {
    type: 'apiKey',
    in: 'header',
    name: 'Origin',
    description:
      'The origin of the platform’s own web application, which a browser sends by itself. Nothing else may call.',
  },
};

const operationOf = (endpoint: AnyEndpoint, schemas: Schemas): Operation => ({
  operationId: endpoint.name,
  summary: endpoint.summary,
  description: descriptionOf(endpoint),
  tags: [tagOf(endpoint)],
  security: securityOf(endpoint),
  ...parametersOf(endpoint, schemas),
  ...requestBodyOf(endpoint, schemas),
  responses: { 200: answerOf(endpoint, schemas), ...refusalsOf(endpoint) },
});

const descriptionOf = ({ name, description, caller }: AnyEndpoint) => {
  if (!description) throw new Error(`${name} has no description.`);
  return caller.kind === 'key' ? `${description}\n\nScope of the key: \`${caller.scope}\`.` : description;
};

const securityOf = (endpoint: AnyEndpoint) => {
  if (endpoint.caller.kind === 'key') return [{ apiKey: [] }];
  if (mayHaveKey(endpoint)) return [{}, { apiKey: [] }];
  return endpoint.caller.kind === 'application' ? [{ applicationOrigin: [] }] : [];
};

const mayHaveKey = ({ caller }: AnyEndpoint) => caller.kind === 'anyone' && caller.key !== undefined;

/** The groups of operations, by the first part of their paths. */
const tags = [
  { name: 'Block list', paths: ['agent-block-list'], description: 'The numbers that an agent takes no calls from.' },
  { name: 'Agents', paths: ['agents', 'duplicate-agent'], description: 'Voice agents and their configurations.' },
  { name: 'Calls', paths: ['calls', 'call-outcomes'], description: 'Calls, and the outcomes that are set on them.' },
  { name: 'Websites', paths: ['agent-websites'], description: 'Websites that an agent knows by having read them.' },
  { name: 'Documents', paths: ['agent-documents'], description: 'Files that an agent knows by having read them.' },
  { name: 'Invoices', paths: ['get-invoices'], description: 'What a customer was billed by the payment provider.' },
  { name: 'Chat', paths: ['chat'], description: 'The assistant that helps to build an agent.' },
  { name: 'Interface', paths: ['openapi.json'], description: 'This description.' },
];

const tagOf = ({ name, path }: AnyEndpoint): string => {
  const first = path.split('/')[1] as string;
  const tag = tags.find(({ paths }) => paths.includes(first));
  if (!tag) throw new Error(`${name} is at /${first}, which no tag in functions/openapi/document.ts names.`);
  return tag.name;
};

const parametersOf = (endpoint: AnyEndpoint, schemas: Schemas) => {
  const inPath = propertiesOf(endpoint.params, schemas);
  const inQuery = propertiesOf(endpoint.query, schemas);
  const parameters = [
    ...[...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
      const found = inPath.find((property) => property.name === name);
      if (!found) throw new Error(`${endpoint.name} has no schema for the path variable ${name}.`);
      return { name, in: 'path', required: true, ...describedParameter(found.schema) };
    }),
    ...inQuery.map(({ name, required, schema }) => ({ name, in: 'query', required, ...describedParameter(schema) })),
    ...(endpoint.idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ];
  return parameters.length > 0 ? { parameters: parameters as unknown as NonNullable<Operation['parameters']> } : {};
};

const propertiesOf = (schema: z.core.$ZodType | undefined, schemas: Schemas) => {
  const { properties = {}, required = [] } = schema ? schemas.whole(schema, 'input') : {};
  return Object.entries(properties).map(([name, property]) => ({
    name,
    required: required.includes(name),
    schema: property,
  }));
};

const describedParameter = ({ description, examples = [], ...schema }: JsonSchema) => ({
  description,
  schema,
  ...(examples.length > 0 && { example: examples[0] }),
});

const requestBodyOf = ({ body, multipart }: AnyEndpoint, schemas: Schemas) => {
  if (!body) return {};
  const type = multipart ? 'multipart/form-data' : 'application/json';
  return { requestBody: { required: true, content: { [type]: withExample(schemas.convert(body, 'input'), schemas) } } };
};

const answerOf = ({ response, idempotent, streams }: AnyEndpoint, schemas: Schemas) => {
  const content = withExample(schemas.convert(response, 'output'), schemas);
  return {
    description: streams ? 'The answer, piece by piece as it comes about.' : 'Done.',
    headers: { ...always, ...(idempotent && { 'idempotency-replayed': header('idempotency-replayed') }) },
    content: { [streams ? 'text/event-stream' : 'application/json']: content },
  };
};

const withExample = (schema: JsonSchema, schemas: Schemas): Content => ({ schema, example: schemas.exampleOf(schema) });

/** Every refusal an operation can answer: its own, and those of the kit and of API Gateway before it. */
const refusalsOf = (endpoint: AnyEndpoint): Operation['responses'] => {
  const { name, errors, caller, idempotent, body, query, codes: fieldCodes = {}, refusals = [] } = endpoint;
  const keyed = caller.kind === 'key';
  const codes = new Set<ErrorCode>([
    ...(body || query ? (['invalid_request'] as const) : []),
    ...(keyed ? (['missing_api_key', 'invalid_api_key', 'insufficient_permissions'] as const) : []),
    ...(mayHaveKey(endpoint) ? (['invalid_api_key'] as const) : []),
    ...(caller.kind === 'application' ? (['unauthorized_origin'] as const) : []),
    ...(idempotent ? (['idempotency_conflict', 'idempotency_in_progress'] as const) : []),
    ...(body ? (['payload_too_large'] as const) : []),
    'rate_limited',
    'internal_error',
    ...Object.values(fieldCodes),
    ...refusals,
  ]);
  const statuses = new Set([...codes].map((code) => errorStatuses[code]));
  for (const status of Object.keys(errors).map(Number)) {
    if (!statuses.has(status as never))
      throw new Error(`${name} answers ${status} and names no code for it in \`refusals\`.`);
  }
  return Object.fromEntries(
    [...statuses].sort().map((status) => {
      const own = [...codes].filter((code) => errorStatuses[code] === status);
      const meaning = errors[status as keyof typeof errors] ?? meaningsOfStatuses[status];
      if (!meaning) throw new Error(`${name} answers ${status} and does not say in \`errors\` what that means.`);
      return [status, refusal(meaning, own)];
    }),
  );
};

const refusal = (meaning: string, codes: ErrorCode[]) => ({
  description: `${meaning}\n\n\`error\` is ${oneOf(codes.map((code) => `\`${code}\``))}.`,
  headers: { ...always, ...(codes.some(isWorthRepeating) && { 'retry-after': header('retry-after') }) },
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    },
  },
});

const everyCode = Object.keys(errorStatuses) as ErrorCode[];

const oneOf = (items: string[]) => items.join(', ').replace(/, ([^,]*)$/, ' or $1');

const isWorthRepeating = (code: ErrorCode) => errorStatuses[code] === 429 || code === 'idempotency_in_progress';

const examplesOfErrors = () =>
  Object.fromEntries(everyCode.map((code) => [code, { summary: meanings[code], value: exampleOfError(code) }]));

const exampleOfError = (code: ErrorCode) => ({
  error: code,
  message: meanings[code],
  ...(errorStatuses[code] === 400 && {
    details: [{ path: 'agentId', message: 'must be 1 to 128 of A-Z a-z 0-9 _ . : -' }],
  }),
});

/** What a status means wherever the kit answers it by itself. */
const meaningsOfStatuses: Record<number, string> = {
  400: 'The request is invalid; `details` names each bad field.',
  401: 'The key is missing or not valid, or it may not do this.',
  403: 'The request does not come from the platform’s own web application.',
  409: 'The Idempotency-Key was used before: with another request, or with one that is still running.',
  413: 'The body is too large.',
  429: 'Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.',
  500: 'The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.',
};

/** What each code means, for those who switch on it. */
const meanings: Record<ErrorCode, string> = {
  invalid_request: 'The request is invalid.',
  too_many_numbers: `There are more than ${limits.numbersPerRequest.toLocaleString('en')} numbers in the request.`,
  too_many_files: 'There are too many files in the request.',
  file_too_large: 'A file is too large.',
  unsupported_file_type: 'A file is of no kind that is read.',
  empty_file: 'A file is empty.',
  customer_id_required: 'The customer’s identifier is missing or malformed.',
  missing_api_key: 'There is no API key in the X-Authorization header.',
  invalid_api_key: 'The API key is malformed, unknown, revoked or expired.',
  insufficient_permissions: 'The API key may not do this, or there is no such agent.',
  unauthorized_origin: 'The request does not come from the platform’s own web application.',
  call_not_found: 'The agent has no such call.',
  website_not_found: 'The agent has no such website.',
  document_not_found: 'The agent has no such document.',
  invoices_not_found: 'The customer is unknown or has no invoices.',
  not_found: 'There is no such thing.',
  idempotency_conflict: 'The Idempotency-Key was used with another request.',
  idempotency_in_progress: 'The first request with this Idempotency-Key is still running.',
  crawl_in_progress: 'The website is being read at the moment.',
  not_failed: 'There is nothing to try again: it did not fail.',
  payload_too_large: 'The body is too large.',
  rate_limited: 'There were too many requests in a short time.',
  chat_budget_exhausted: 'The chat’s budget for today is spent.',
  internal_error: 'The request could not be completed. Try again later.',
  chat_failed: 'The assistant could not answer.',
};

/** The body of every refusal (contract 2.9). What API Gateway refuses by itself has a `message` alone. */
const ErrorBody = component(
  'Error',
  'A refusal. What API Gateway refuses before the service is reached carries a `message` alone.',
  z.object({
    error: z.optional(
      z
        .enum(everyCode as [ErrorCode, ...ErrorCode[]])
        .check(describe('Why, as a code to switch on: one of a closed list.', 'invalid_request')),
    ),
    message: z.string().check(describe('Why, in a sentence for a person.', 'numbers: must have at least 1 number')),
    details: z.optional(
      z
        .array(
          z.object({
            path: z
              .string()
              .check(describe('Where in the request it is: `numbers.3`; empty for the whole.', 'numbers')),
            message: z.string().check(describe('What is wrong with it.', 'must have at least 1 number')),
          }),
        )
        .check(z.describe('Each bad field of a request that was refused with 400.')),
    ),
  }),
);

const header = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` });

const headers = {
  'x-request-id': {
    description: 'The request’s identifier, under which the service’s log knows it. Quote it when you ask for help.',
    schema: { type: 'string' },
    example: 'b1946ac9-2f4e-4c6a-9d5b-7e3f0c8a1d42',
  },
  'retry-after': {
    description: 'Seconds after which the same request may succeed.',
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
  'idempotency-replayed': {
    description: '`true` when this is the first answer to the Idempotency-Key again: nothing was done a second time.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
};

const always = { 'x-request-id': header('x-request-id') };

const IdempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request safe to repeat, for 24 hours: with the same key and the same content it is answered as it was the first time. 1 to 255 visible ASCII characters, such as a UUID.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  example: '3f2b8c1e-5a7d-4e90-8b61-2c9d0f4a7e13',
};

const introduction = `An HTTP interface to a platform that hosts voice agents.

**Keys.** Send your API key in the \`X-Authorization\` header. It belongs to one user (\`uid\`), and may be limited to scopes.

**Refusals.** Every one is \`{ "error": code, "message": sentence }\`; a 400 adds \`details\` that name each bad field. What is wrong with a
request is told only to the holder of a valid key. A foreign agent and one that does not exist are answered alike, with 401.

**Repeating.** A 429 or 500 may be sent again, after the seconds in \`retry-after\` where they are given. Operations that create
something take an \`Idempotency-Key\`, which makes repeating them safe.

**Lists** take \`limit\` and \`cursor\`, and answer \`nextCursor\` unless the page is the last one.

**Limits.** A body weighs at most ${limits.bodyBytes / 1024 / 1024} MB and nests at most ${limits.jsonDepth} levels deep.

**Compatibility.** Fields, headers and operations may be added: ignore what you do not know. Error codes are a closed list.

**Error codes:**

${everyCode.map((code) => `- \`${code}\` (${errorStatuses[code]}): ${meanings[code]}`).join('\n')}
`;

/** Turns zod's schemas into JSON Schema, and keeps the named ones as components. */
class Schemas {
  readonly #named: Record<string, JsonSchema> = {};

  /** The JSON Schema of what goes in or comes out; a named schema becomes a reference. */
  convert(schema: z.core.$ZodType, io: 'input' | 'output'): JsonSchema {
    // Wrapped, because a named schema is defined in place where it stands alone.
    const { properties, $defs = {} } = z.toJSONSchema(z.object({ it: schema }), {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => this.#override(zodSchema, jsonSchema as JsonSchema, io),
    }) as JsonSchema & { $defs?: Record<string, JsonSchema> };
    for (const [name, { id: _, ...definition }] of Object.entries(referring($defs))) this.#keep(name, definition);
    return referring(properties?.it as JsonSchema);
  }

  /** The same, with the definition itself where the whole is named. */
  whole(schema: z.core.$ZodType, io: 'input' | 'output'): JsonSchema {
    return this.#resolve(this.convert(schema, io));
  }

  components() {
    return Object.fromEntries(Object.entries(this.#named).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** An example: the schema's own, or one made of its parts'. */
  exampleOf(schema: JsonSchema): unknown {
    const resolved = this.#resolve(schema);
    const { examples, properties, items, anyOf, type, additionalProperties } = resolved;
    if (examples) return examples[0];
    if ('const' in resolved) return resolved.const;
    if (properties) {
      const parts = Object.entries(properties).map(([name, property]) => [name, this.exampleOf(property)]);
      return Object.fromEntries(parts.filter(([, example]) => example !== undefined));
    }
    if (items) {
      const item = this.exampleOf(items);
      return item === undefined ? undefined : [item];
    }
    if (anyOf) return anyOf.map((one) => this.exampleOf(one)).find((example) => example !== undefined);
    return type === 'object' && additionalProperties ? {} : undefined;
  }

  #resolve(schema: JsonSchema): JsonSchema {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : (this.#named[name] as JsonSchema);
  }

  #keep(name: string, definition: JsonSchema) {
    const kept = this.#named[name];
    if (kept && JSON.stringify(kept) !== JSON.stringify(definition)) {
      throw new Error(`Two schemas are named ${name}, or one that is not the same in a request and in an answer.`);
    }
    this.#named[name] = definition;
  }

  #override(schema: z.core.$ZodType, json: JsonSchema, io: 'input' | 'output') {
    // Zod leaves out the examples of what is transformed, which here hold before and after.
    const { examples } = z.globalRegistry.get(schema) ?? {};
    if (examples && !json.$ref) json.examples ??= examples as unknown[];
    if (json.readAs) {
      const { readAs, description, examples } = json;
      const read = this.convert(readAs as z.core.$ZodType, io);
      for (const key of Object.keys(json)) delete json[key];
      Object.assign(json, read, description && { description }, examples && { examples });
    }
    // The pattern that zod adds says no more than the format, at great length.
    if (json.format === 'date-time') delete json.pattern;
    // Fields may be added to answers, and requests may hold more than is read.
    if (json.additionalProperties === false) delete json.additionalProperties;
    if (json.type === 'object' && !json.properties) json.additionalProperties ??= {};
    delete json.propertyNames;
    if (json.type === 'integer') {
      if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
      if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
    }
    liftFromNullable(json);
  }
}

/** What may be null says what it is itself, and not on a branch of it. */
const liftFromNullable = (json: JsonSchema) => {
  const [value, nothing, ...others] = json.anyOf ?? [];
  if (!value || nothing?.type !== 'null' || others.length > 0) return;
  if (value.$ref) return;
  const { anyOf: _, ...own } = json;
  for (const key of Object.keys(json)) delete json[key];
  const { description, examples, ...rest } = value;
  const says = {
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
    ...own,
  };
  Object.assign(
    json,
    typeof rest.type === 'string' ? { ...rest, type: [rest.type, 'null'] } : { anyOf: [rest, nothing] },
    says,
  );
};

/** References of a schema that stands alone, as references into the document. */
const referring = <T>(schema: T): T =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as T;
