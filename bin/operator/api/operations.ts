import documentJson from '../../../functions/openapi/document.json' with { type: 'json' };
import type { JsonSchema, OpenApiDocument, Operation } from '../../../functions/openapi/openapi.ts';
import { resolve } from '../../../functions/openapi/schemas.ts';
import { type ClientOperation, clientOperations } from '../../client/operations.ts';

const document = documentJson as unknown as OpenApiDocument;

/** An argument of an operation: a parameter of its path or query, or a field of its body. */
export type Argument = { name: string; schema: JsonSchema; isRequired: boolean; isInBody: boolean; example: unknown };

/** An operation as a command calls it. Its name is that of the clients: `calls.list`. */
export type ApiOperation = Omit<ClientOperation, 'params'> & {
  name: string;
  arguments: Argument[];
  takesIfMatch: boolean;
  takesIdempotencyKey: boolean;
  /** Who may call it: the holder of a key, a web application of an origin, or anyone. */
  caller: 'apiKey' | 'applicationOrigin' | undefined;
};

const sources = new Map(
  Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .map((operation) => [operation.operationId, operation]),
);

const toApiOperation = ({ params, ...operation }: ClientOperation): ApiOperation => {
  const { parameters = [], requestBody, security } = sources.get(operation.operationId) as Operation;
  const [body] = Object.values(requestBody?.content ?? {});
  const bodyExample = body?.example as Record<string, unknown> | undefined;
  const takes = (header: string) => parameters.some(({ $ref }) => $ref === `#/components/parameters/${header}`);
  const toArgument = ([name, schema]: [string, JsonSchema]): Argument => {
    const parameter = parameters.find((one) => one.name === name);
    return {
      name,
      // A reference may have a description of its own.
      schema: { ...resolveSchema(schema), description: schema.description ?? resolveSchema(schema).description },
      isRequired: params?.schema.required?.includes(name) ?? false,
      isInBody: parameter === undefined,
      example: parameter ? parameter.example : bodyExample?.[name],
    };
  };
  const [scheme = {}] = security as Record<string, unknown>[];
  return {
    ...operation,
    name: `${operation.group}.${operation.verb}`,
    arguments: Object.entries(params?.schema.properties ?? {}).map(toArgument),
    takesIfMatch: takes('IfMatch'),
    takesIdempotencyKey: takes('IdempotencyKey'),
    caller: Object.keys(scheme)[0] as ApiOperation['caller'],
  };
};

/** Returns a schema of the document, or the component that it refers to. */
export const resolveSchema = (schema: JsonSchema = {}): JsonSchema => resolve(document, schema);

/** Returns the schemas of the fields of the responses of operations. */
export const responseFields = (operations: ApiOperation[]): Record<string, JsonSchema> =>
  Object.assign(
    {},
    ...operations.map(({ responseType = '' }) => document.components.schemas[responseType]?.properties),
  );

export const apiOperations: ApiOperation[] = clientOperations(document).map(toApiOperation);

/** Returns the operation with a name. */
export const operationNamed = (wanted: string): ApiOperation => {
  const found = apiOperations.find(({ name }) => name === wanted);
  if (!found) throw new Error(`There is no operation ${wanted}.`);
  return found;
};

/** Returns true for a request that deletes what its address names. */
export const isDeletion = ({ method, body }: ApiOperation) => method === 'DELETE' && !body;

/** Returns true for an operation on one user, which the operator's key of that user may call. */
export const isOfOneUser = ({ path }: ApiOperation) => path.startsWith('/users/{uid}');

/** Returns true for an operation on users: its key is of the user that created them, or the operator's. */
export const administersUsers = ({ path }: ApiOperation) => /^\/users?(\/|-figures|$)/.test(path);
