import * as z from 'zod/mini';
import { createDocument, type ZodOpenApiOperationObject } from 'zod-openapi';
import { component } from '../domain/describe.ts';
import { errorStatuses } from '../domain/errors.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { limits } from '../domain/limits.ts';
import { type AnyEndpoint, endpointScopes, isStreamed, takesIdempotencyKey } from '../http/endpoint.ts';
import { errorMeanings } from './error-meanings.ts';
import { errorCodes, errorExamples, errorResponses, takesOptionalKey } from './error-responses.ts';
import { describeHeaders, headerReference, headers } from './headers.ts';
import type { JsonSchema, OpenApiDocument, Operation } from './openapi.ts';
import { buildExample, schemaOverride, splitTypes } from './schemas.ts';
import { eventsTag, webhookRequests } from './webhooks.ts';

/** The version of the interface, not of this code. */
const version = '1.0.0';

/** Generates the OpenAPI 3.1 document of the interface only from the route table. */
export const openApiDocument = (routes: AnyEndpoint[]): OpenApiDocument => {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const endpoint of routes) {
    paths[endpoint.path] ??= {};
    Object.assign(paths[endpoint.path] as object, { [endpoint.method.toLowerCase()]: describeOperation(endpoint) });
  }
  const used = new Set(routes.map(findTag));
  const documented: Record<string, JsonSchema> = {};
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Voice Agent Platform API',
        version,
        summary:
          'Manages voice agents: block lists, agents, calls and their outcomes, knowledge, invoices and a build chat.',
        description: introduction,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'This server.' }],
      tags: [
        ...tags.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description })),
        eventsTag,
      ],
      paths,
      webhooks: webhookRequests(),
    },
    { override: schemaOverride(documented) },
  ) as unknown as OpenApiDocument;
  document.components = {
    schemas: sortComponents({ ...documented, ...document.components.schemas }),
    securitySchemes: onlyUsed(securitySchemes, (name) => `"${name}":[]`, document),
    headers: onlyUsed(headers, (name) => `"#/components/headers/${name}"`, document),
    examples: onlyUsed(errorExamples(), (name) => `"#/components/examples/${name}"`, document),
    parameters: onlyUsed({ IdempotencyKey, IfMatch }, (name) => `"#/components/parameters/${name}"`, document),
  };
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item))) {
    addExamples(document, operation);
  }
  for (const { post } of Object.values(document.webhooks)) addExamples(document, post);
  splitTypes(document);
  return document;
};

const sortComponents = <T>(components: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Returns the components that operations refer to. */
const onlyUsed = <T>(
  components: Record<string, T>,
  reference: (name: string) => string,
  { paths }: OpenApiDocument,
) => {
  const text = JSON.stringify(paths);
  return Object.fromEntries(Object.entries(components).filter(([name]) => text.includes(reference(name))));
};

/** Copies the examples of schemas to the bodies and parameters of an operation. */
const addExamples = (document: OpenApiDocument, { parameters = [], requestBody, responses }: Operation) => {
  for (const content of [requestBody, responses[200]].flatMap((body) => Object.values(body?.content ?? {}))) {
    content.example = buildExample(document, content.schema);
  }
  for (const parameter of parameters.filter((one) => !('$ref' in one))) {
    const { description, examples = [], ...schema } = parameter.schema;
    Object.assign(parameter, { description, schema }, examples.length > 0 && { example: examples[0] });
  }
};

const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Authorization',
    description:
      'An API key, `vap_…`. A leading `Bearer ` is accepted, and so is the header `Authorization: Bearer vap_…`; `X-Authorization` takes precedence. The operator of the service creates the first keys, and keys with the scopes `users` or `keys` make others. A key belongs to one user and may be limited to scopes.',
  },
  applicationOrigin: {
    type: 'apiKey',
    in: 'header',
    name: 'Origin',
    description: 'The origin of the platform’s own web application. The browser sends this header.',
  },
};

const describeOperation = (endpoint: AnyEndpoint): ZodOpenApiOperationObject => ({
  operationId: endpoint.name,
  summary: endpoint.summary,
  description: describeEndpoint(endpoint),
  tags: [findTag(endpoint)],
  security: describeSecurity(endpoint),
  ...describeParameters(endpoint),
  ...describeRequestBody(endpoint),
  responses: { 200: describeSuccess(endpoint), ...errorResponses(endpoint) },
});

const describeEndpoint = (endpoint: AnyEndpoint) => {
  const { name, description, caller } = endpoint;
  if (!description) throw new Error(`${name} has no description.`);
  if (caller.kind !== 'key') return description;
  const scopes = endpointScopes(endpoint).map((scope) => `\`${scope}\``);
  return `${description}\n\nScope of the key: ${scopes.join(' or ') || 'any'}.`;
};

const describeSecurity = (endpoint: AnyEndpoint) => {
  if (endpoint.caller.kind === 'key') return [{ apiKey: [] }];
  if (takesOptionalKey(endpoint)) return [{}, { apiKey: [] }];
  return endpoint.caller.kind === 'application' ? [{ applicationOrigin: [] }] : [];
};

/** The groups of operations, by the first part of their paths. */
const tags = [
  {
    name: 'Block list',
    paths: ['agent-block-list', 'block-list', 'block-list-rules', 'block-list-imports'],
    description: 'Phone numbers whose calls an agent, or every agent of a user, does not accept.',
  },
  {
    name: 'Consents',
    paths: ['consents'],
    description: 'Who may be called for which purpose, and what proves it.',
  },
  { name: 'Agents', paths: ['agents', 'duplicate-agent'], description: 'Voice agents and their configuration.' },
  {
    name: 'Calls',
    paths: ['calls', 'call-outcomes', 'call-figures', 'call-exports'],
    description: 'Calls and their outcomes.',
  },
  {
    name: 'Call time',
    paths: ['call-starts', 'call-start-checks', 'hooks', 'hook-secrets', 'platform-keys'],
    description: 'Decisions on calls that start, and the webhooks of voice platforms.',
  },
  { name: 'Websites', paths: ['agent-websites'], description: 'Websites in the knowledge of an agent.' },
  { name: 'Documents', paths: ['agent-documents'], description: 'Documents in the knowledge of an agent.' },
  { name: 'Knowledge', paths: ['agent-knowledge'], description: 'Search in the knowledge of an agent.' },
  {
    name: 'Users',
    paths: ['users', 'keys', 'user-figures', 'changes'],
    description: 'The clients of a user, API keys, and who changed what.',
  },
  {
    name: 'Privacy',
    paths: ['erasures', 'person-exports'],
    description: 'The erasure of people from the data of a user, and what there is of them as a file.',
  },
  {
    name: 'Webhooks',
    paths: ['webhook-endpoints', 'webhook-deliveries'],
    description: 'Addresses that events are sent to, and the deliveries.',
  },
  { name: 'Invoices', paths: ['get-invoices'], description: 'Invoices of a customer of the payment provider.' },
  {
    name: 'AI clients',
    paths: ['mcp', 'key'],
    description: 'The operations as tools of AI clients, and the API key of a request.',
  },
  {
    name: 'OAuth',
    paths: ['.well-known', 'authorize', 'token', 'revoke', 'register'],
    description: 'How AI clients that cannot send a key sign in, with an API key as the login.',
  },
  { name: 'Chat', paths: ['chat'], description: 'An assistant that helps to build an agent.' },
  { name: 'OpenAPI', paths: ['openapi.json'], description: 'The OpenAPI document.' },
];

const findTag = ({ name, path }: AnyEndpoint): string => {
  const first = path.split('/')[1] as string;
  const tag = tags.find(({ paths }) => paths.includes(first));
  if (!tag) throw new Error(`${name} is at /${first}, which no tag in functions/openapi/document.ts names.`);
  return tag.name;
};

const describeParameters = (endpoint: AnyEndpoint) => {
  const { name, path, params, query, takesIfMatch } = endpoint;
  for (const [, variable = ''] of path.matchAll(/\{(\w+)\}/g)) {
    if (!params?._zod.def.shape[variable]) throw new Error(`${name} has no schema for the path variable ${variable}.`);
  }
  const headersTaken = [
    ...(takesIdempotencyKey(endpoint) ? [{ $ref: '#/components/parameters/IdempotencyKey' as const }] : []),
    ...(takesIfMatch ? [{ $ref: '#/components/parameters/IfMatch' as const }] : []),
  ];
  return {
    ...((params || query) && { requestParams: { ...(params && { path: params }), ...(query && { query }) } }),
    ...(headersTaken.length > 0 && { parameters: headersTaken }),
  };
};

const describeRequestBody = ({ body, raw }: AnyEndpoint) => {
  const type = raw?.multipart ? 'multipart/form-data' : (raw?.requestMediaType ?? 'application/json');
  return body ? { requestBody: { required: true, content: { [type]: { schema: body } } } } : {};
};

const describeSuccess = (endpoint: AnyEndpoint) => {
  const { name, response, hasETag, raw: { mediaTypes = [] } = {} } = endpoint;
  const streams = isStreamed(endpoint);
  const { id, description } = z.globalRegistry.get(response) ?? {};
  if (!description) throw new Error(`${name} does not describe its response.`);
  return {
    description,
    headers: {
      ...describeHeaders(endpoint),
      'x-ignored-fields': headerReference('x-ignored-fields'),
      ...(hasETag && { etag: headerReference('etag') }),
      ...(endpoint.raw?.inOtherForm && {
        'x-pending': headerReference('x-pending'),
      }),
      ...(takesIdempotencyKey(endpoint) && { 'idempotency-replayed': headerReference('idempotency-replayed') }),
    },
    content: {
      [streams ? 'text/event-stream' : 'application/json']: {
        schema: id || streams ? response : component(responseName(name), description, z.clone(response)),
      },
      ...Object.fromEntries(mediaTypes.map((type) => [type, { schema: z.string().check(z.describe(description)) }])),
    },
  };
};

/** Names a response that is not a record after its operation: `AddBlockedNumbersResponse`. */
const responseName = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}Response`;

const IdempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: `Makes the request safe to repeat: for ${formatLimit('idempotencySeconds')} a request with the same key and the same content returns the first response again. 1 to 255 visible ASCII characters, such as a UUID.`,
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  example: '3f2b8c1e-5a7d-4e90-8b61-2c9d0f4a7e13',
};

const IfMatch = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The version that you have read, in quotes: the change is refused with 412 `version_conflict` when there is a newer one. `*` or none: any version.',
  schema: { type: 'string', pattern: '^("(0|[1-9][0-9]*)"|\\*)$' },
  example: '"7"',
};

const introduction = `A self-hosted HTTP API for voice agents. Quickstarts and guides: [/docs](/docs).

**Authentication.** Send your API key in the \`X-Authorization\` header. It belongs to one user (\`uid\`) and may be limited to scopes.

**Errors.** Every error is \`{ "error": code, "message": sentence }\`; a 400 adds \`details\` with each bad field. Validation details are
returned only to authenticated callers. An agent that you cannot access and one that does not exist both return 401.

**Retries.** Send a request again after 429, 500 and 503. If the response has \`retry-after\`, wait for that many seconds. Every POST and PATCH
that changes something takes an \`Idempotency-Key\`, which makes repeating it safe.

**Pagination.** Lists take \`limit\` and \`cursor\`. A response without \`nextCursor\` is the last page.

**Limits.** A body has at most ${formatLimit('bodyBytes')} and ${limits.jsonDepth} levels of JSON.

**Compatibility.** Fields, headers and operations may be added: ignore what you do not know. Error codes are a closed list.

**Error codes:**

${errorCodes.map((code) => `- \`${code}\` (${errorStatuses[code]}): ${errorMeanings[code]}`).join('\n')}
`;
