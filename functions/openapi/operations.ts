import type { Scope } from '../domain/api-keys.ts';
import { withoutUndefined } from '../domain/json.ts';
import {
  type AnyEndpoint,
  administersUsers,
  endpointScopes,
  type Method,
  takesIdempotencyKey,
} from '../http/endpoint.ts';
import { endpointPermissions } from '../http/permissions.ts';
import type { JsonSchema, OpenApiDocument, Operation, Parameter } from './openapi.ts';
import { resolve } from './schemas.ts';
import { argumentDescriptions, argumentSchemas, checkToolText, toolDescriptions } from './tool-descriptions.ts';

/** An operation that the build chat and AI clients call with a key and named arguments. */
export type CallableOperation = {
  method: Method;
  path: string;
  /** The scopes of which a key needs one. Absent where any key is accepted. */
  scopes?: Scope[];
  /** Arguments that go into the query. The path names its own; all others form the body. */
  query: string[];
  hasBody?: true;
  /** The place of `uid`, which follows from the key and is no argument. */
  uid?: 'query' | 'body';
  /** `uid` is an argument that may name a client of the key's user, who is the default. */
  namesUser?: true;
  takesIdempotencyKey?: true;
  takesIfMatch?: true;
  /** The operation deletes, sends data out or replaces a list: AI clients have it only if the deployment allows it. */
  restricted?: true;
  /** The values of arguments that an AI client does not send: a list has few items, and no texts. */
  toolDefaults?: Record<string, unknown>;
};

/** An operation as a tool of the Model Context Protocol. */
export type OperationTool = {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema;
  outputSchema: JsonSchema;
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean };
};

/** A model calls operations of JSON with a key. It only reads users, keys and access, and no keys of platforms: no secret reaches it. What a person has consented to is for people to say. It deletes no transcript and exports no person. */
const isCallable = (endpoint: AnyEndpoint) =>
  endpoint.caller.kind === 'key' &&
  !endpoint.path.startsWith('/platform-keys') &&
  endpoint.name !== 'deleteCallTranscript' &&
  endpoint.name !== 'recordConsents' &&
  !endpoint.path.startsWith('/person-exports') &&
  !endpoint.raw?.multipart &&
  !endpoint.raw?.responds &&
  (endpoint.method === 'GET' || !administersUsers(endpoint));

/** Returns true if an operation is restricted. Unblocking a number never is. */
const isRestricted = ({ name, method, path, readOnly }: AnyEndpoint) => {
  const changesUnder = (prefix: string) => path.startsWith(prefix) && method !== 'GET' && !readOnly;
  const undoesBlocking = name === 'removeBlockedNumbers' || name === 'removeUserBlockedNumbers';
  const changesEndpoint = changesUnder('/webhook-endpoints') && name !== 'testWebhookEndpoint';
  const changesSecret = changesUnder('/hook-secrets');
  const replaces = ['/erasures', '/block-list-imports', '/block-list-rules'].some(changesUnder);
  return (method === 'DELETE' && !undoesBlocking) || changesEndpoint || changesSecret || replaces;
};

/** Returns true if an operation deletes or overwrites existing data. */
const isDestructive = (endpoint: AnyEndpoint) =>
  ['DELETE', 'PATCH', 'PUT'].includes(endpoint.method) || overwriting.includes(endpoint.name);

/** The operations that are a POST and overwrite what is there. */
const overwriting = [
  'createBlockListImport',
  'createErasure',
  'recordCalls',
  'restoreAgent',
  'rotateWebhookSecret',
  'updateCallOutcomes',
];

/** Returns true if an operation changes nothing, whatever its arguments are. A client may call it without asking. */
const changesNothing = (endpoint: AnyEndpoint) =>
  endpoint.method === 'GET' || (endpoint.readOnly === true && !endpointPermissions(endpoint).some(isWriting));

/** The requests of a key are counted whatever they do. */
const isWriting = (permission: string) =>
  /:(Put|Update|Delete|BatchWrite|PartiQL|Send)/.test(permission) && !permission.endsWith(':requests');

/** The number of items of a list that a model reads at once. */
const defaultItems = 20;

const chooseToolDefaults = (query: Parameter[]) => {
  const has = (argument: string) => query.some(({ name }) => name === argument);
  const defaults = {
    ...(has('limit') && has('cursor') && { limit: defaultItems }),
    ...(has('content') && { content: false }),
  };
  return Object.keys(defaults).length > 0 ? defaults : undefined;
};

/** Returns the operations that can be called with arguments, by name. */
export const buildOperations = (document: OpenApiDocument, routes: AnyEndpoint[]): Record<string, CallableOperation> =>
  Object.fromEntries(routes.filter(isCallable).map((endpoint) => [endpoint.name, buildOperation(document, endpoint)]));

const buildOperation = (document: OpenApiDocument, endpoint: AnyEndpoint): CallableOperation => {
  const { method, path } = endpoint;
  const { query, body } = splitOperation(document, endpoint);
  const place = query.some(({ name }) => name === 'uid') ? 'query' : body?.properties?.uid && 'body';
  const isAdministered = administersUsers(endpoint);
  const uid = isAdministered ? undefined : place;
  const toolDefaults = chooseToolDefaults(query);
  return {
    method,
    path,
    ...(endpointScopes(endpoint).length > 0 && { scopes: endpointScopes(endpoint) }),
    query: query.map(({ name }) => name).filter((name) => !uid || name !== 'uid'),
    ...(body && { hasBody: true }),
    uid,
    ...(isAdministered && place && { namesUser: true }),
    ...(takesIdempotencyKey(endpoint) && { takesIdempotencyKey: true }),
    ...(endpoint.takesIfMatch && { takesIfMatch: true }),
    ...(isRestricted(endpoint) && { restricted: true }),
    toolDefaults,
  };
};

/** Returns the tools of the Model Context Protocol, sorted by name, including those that delete. */
export const buildOperationTools = (document: OpenApiDocument, routes: AnyEndpoint[]): OperationTool[] =>
  routes
    .filter(isCallable)
    .map((endpoint) => buildOperationTool(document, endpoint))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

const buildOperationTool = (document: OpenApiDocument, endpoint: AnyEndpoint): OperationTool => {
  const { name, method, readOnly = false } = endpoint;
  const { operation, response } = splitOperation(document, endpoint);
  const [summary = ''] = String(operation.description).split('\n\n');
  return {
    name,
    title: String(operation.summary),
    description: checkToolText(name, sayClear(toolDescriptions[name] ?? summary)),
    inputSchema: buildInputSchema(document, endpoint),
    // It requires no field and forbids none: clients also check an error against it.
    outputSchema: { type: 'object', ...reduceSchema(document, resolve(document, response)) },
    annotations: {
      readOnlyHint: changesNothing(endpoint),
      destructiveHint: isDestructive(endpoint),
      idempotentHint: (method !== 'POST' && method !== 'PATCH') || readOnly,
    },
  };
};

/** Returns path, query and body as one object, without `uid`, which follows from the key. */
const buildInputSchema = (document: OpenApiDocument, endpoint: AnyEndpoint): JsonSchema => {
  const { parameters, query, body } = splitOperation(document, endpoint);
  const defaults = chooseToolDefaults(query);
  const properties: Record<string, JsonSchema> = {};
  const add = (name: string, schema: JsonSchema) => {
    if (name in properties) throw new Error(`${endpoint.name} has two fields called ${name}.`);
    const path = `${endpoint.name}.${name}`;
    const description = argumentDescriptions[path] ?? argumentDescriptions[name] ?? schema.description;
    const property = argumentSchemas[path] ?? withoutObvious(inlineReferences(document, { ...schema, description }));
    checkToolText(path, JSON.stringify(property));
    properties[name] = property;
  };
  for (const { name, description, schema } of parameters) add(name, { ...schema, description });
  for (const [name, schema] of Object.entries(body?.properties ?? {})) add(name, schema);
  if (takesIdempotencyKey(endpoint)) add('idempotencyKey', { type: 'string', format: 'uuid' });
  if (endpoint.takesIfMatch) add('ifMatch', { type: 'integer', minimum: 1 });
  addClear(document, endpoint, body, properties);
  if (!administersUsers(endpoint)) delete properties.uid;
  for (const [name, value] of Object.entries(defaults ?? {})) (properties[name] as JsonSchema).default = value;
  // The key's user is the default, except in a path.
  const required = [
    ...parameters.filter((one) => one.required && (one.in === 'path' || one.name !== 'uid')).map(({ name }) => name),
    ...(body?.required ?? []).filter((name) => name !== 'uid'),
  ];
  return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false };
};

/** Facts of a call that are `null` where they are absent: nothing needs to clear them. */
const nullWhereAbsent = ['phone', 'agentPhone'];

/** Adds `clear` to a change, or to the items of a bulk change: a tool reads `null` as no value, which models fill in. */
const addClear = (
  document: OpenApiDocument,
  { name, method }: AnyEndpoint,
  body: JsonSchema | undefined,
  properties: Record<string, JsonSchema>,
) => {
  const isBulk = overwriting.includes(name) && body?.properties?.items !== undefined;
  if (!body || (method !== 'PATCH' && !isBulk)) return;
  const target = isBulk ? properties.items?.items?.properties : properties;
  const source = isBulk
    ? resolve(document, resolve(document, body.properties?.items as JsonSchema).items as JsonSchema)
    : body;
  const names = listClearable(document, source).filter((one) => !nullWhereAbsent.includes(one));
  if (!target || names.length === 0) return;
  if ('clear' in target) throw new Error(`${name} has a field called clear.`);
  const [nested, own] = [names.find((one) => one.includes('.')), names.find((one) => !one.includes('.'))];
  const description = `Names of fields to clear${nested ? `, such as \`${own}\` and \`${nested}\`` : ''}. Empty values clear nothing.`;
  target.clear = { description, type: 'array', items: { type: 'string', ...(!nested && { enum: names }) } };
};

/** Returns the names of fields that may be `null`, those of objects with a dot. */
const listClearable = (document: OpenApiDocument, { properties = {} }: JsonSchema): string[] =>
  Object.entries(properties).flatMap(([name, property]) => {
    const schema = resolve(document, property);
    return isNullable(schema) ? [name] : listClearable(document, schema).map((one) => `${name}.${one}`);
  });

const isNullable = ({ type, anyOf = [] }: JsonSchema) =>
  (Array.isArray(type) && type.includes('null')) || anyOf.some((one) => one.type === 'null');

/** Leaves out a description that says no more than the name of the argument, such as that of `agentId`. */
const withoutObvious = ({ description, ...schema }: JsonSchema): JsonSchema =>
  description === undefined || /^Id of the [\w ]+\.$|^Maximum number of items per page/.test(description)
    ? schema
    : { ...schema, description };

const splitOperation = (document: OpenApiDocument, { name, method, path, raw }: AnyEndpoint) => {
  const operation = document.paths[path]?.[method.toLowerCase()] as Operation;
  const content = operation.requestBody?.content['application/json'];
  const body = content && resolve(document, content.schema);
  if (content && !body?.properties) throw new Error(`${name} needs a JSON object body to take arguments.`);
  const parameters = (operation.parameters ?? [])
    .filter((one): one is Parameter => !('$ref' in one))
    // A model reads only JSON.
    .filter((one) => !raw?.inOtherForm || one.name !== 'format');
  const query = parameters.filter((one) => one.in === 'query');
  const response = operation.responses[200]?.content['application/json']?.schema as JsonSchema;
  return { operation, parameters, query, body, response };
};

/** The keywords that a model does not need: descriptions explain them, and the operation checks them. */
const leftOut = ['examples', 'pattern', 'minLength', 'maxLength'];

/** Returns a self-contained schema. */
const inlineReferences = (document: OpenApiDocument, schema: JsonSchema): JsonSchema => {
  const { $ref: _, ...whole } = { ...resolve(document, schema), ...withoutUndefined(schema) };
  const kept = Object.fromEntries(Object.entries(whole).filter(([keyword]) => !leftOut.includes(keyword)));
  if (kept.description !== undefined) kept.description = sayClear(String(kept.description));
  return mapSchemas(separateTypes(withoutNull(kept)), (part) => inlineReferences(document, part));
};

/** Leaves out `null` from the values of an argument, which says nothing there. */
const withoutNull = (schema: JsonSchema): JsonSchema => {
  if (!isNullable(schema)) return schema;
  const { type, anyOf = [], enum: values, ...rest } = schema;
  const types = [type].flat().filter((one) => one !== undefined && one !== 'null') as string[];
  const branches = anyOf.filter((one) => one.type !== 'null');
  return {
    ...rest,
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }),
    ...(Array.isArray(values) && { enum: values.filter((value) => value !== null) }),
    ...(branches.length === 1 ? branches[0] : branches.length > 0 && { anyOf: branches }),
  };
};

/** Writes a schema of several types as several schemas: some clients drop all tools if one has a list of types. */
const separateTypes = (schema: JsonSchema): JsonSchema => {
  const { type, description, default: fallback, ...rest } = schema;
  if (!Array.isArray(type)) return schema;
  return { ...(description && { description }), default: fallback, anyOf: type.map((one) => ({ ...rest, type: one })) };
};

/** Says of a field how a tool clears it. */
const sayClear = (description: string) =>
  description.replaceAll('`null` clears', '`clear` clears').replaceAll('`null` or absent:', 'Absent:');

/** Returns the names of a response's fields: each model reads all tools. What other tools describe stays open. */
const reduceSchema = (document: OpenApiDocument, schema: JsonSchema): JsonSchema => {
  const recordName = schema.$ref?.split('/').at(-1);
  if (recordName !== undefined && returnedComponent(document, `get${recordName}`) === recordName) return {};
  const resolved = resolve(document, schema);
  if (resolved.properties && isSchema(resolved.additionalProperties)) return {};
  const [named = resolved] = resolved.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  if (named !== resolved) return reduceSchema(document, named);
  const { properties, items } = mapSchemas(resolved, (part) => reduceSchema(document, part));
  return { ...(properties && { properties }), ...(items && Object.keys(items).length > 0 && { items }) };
};

/** Returns the name of the component that an operation returns, if it does. */
const returnedComponent = (document: OpenApiDocument, operationId: string): string | undefined => {
  const operation = Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .find((one) => one.operationId === operationId);
  return operation?.responses[200]?.content['application/json']?.schema.$ref?.split('/').at(-1);
};

/** Changes the direct subschemas of a schema. */
const mapSchemas = (schema: JsonSchema, change: (part: JsonSchema) => JsonSchema): JsonSchema => {
  const { properties, items, anyOf, additionalProperties } = schema;
  const entries = Object.entries(properties ?? {}).map(([name, part]) => [name, change(part)] as const);
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(entries) }),
    ...(items && { items: change(items) }),
    ...(anyOf && { anyOf: anyOf.map(change) }),
    ...(isSchema(additionalProperties) && { additionalProperties: change(additionalProperties) }),
  };
};

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;
