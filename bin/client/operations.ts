import type { Json, JsonSchema, OpenApiDocument, Operation, Parameter } from '../../functions/openapi/openapi.ts';
import { componentName as nameOfReference, resolve } from '../../functions/openapi/schemas.ts';
import { capitalize, nameOperations } from './operation-names.ts';

/** An operation of the client. */
export type ClientOperation = {
  operationId: string;
  group: string;
  verb: string;
  summary: string;
  description: string;
  method: string;
  path: string;
  query: string[];
  body?: 'json' | 'form';
  takesUid: boolean;
  /** The schema of its parameters in path, query and body; absent when it has none. */
  params?: { name: string; schema: JsonSchema };
  /** Absent when the response is a stream. */
  responseType?: string;
  /** The field of a list's response that holds the items, and their type. Without a field, a page is an item. */
  list?: { field?: string; itemType: string };
  /** The items of a page where the caller does not say how many; absent where it has no limit. */
  pageItems?: number;
};

/** Operations that voice platforms and AI clients call, each in the format of a standard or a platform. */
const leftOut = ['receiveHook', 'serveMcp'];
const isLeftOut = ({ operationId, tags }: Operation) =>
  leftOut.includes(operationId) || (tags as string[]).includes('OAuth');

/** Returns the operations of the client, group by group. */
export const clientOperations = (document: OpenApiDocument): ClientOperation[] => {
  const operations = Object.entries(document.paths)
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
    )
    .filter(({ operation }) => !isLeftOut(operation));
  const names = nameOperations(
    operations.map(({ path, operation: { operationId, tags } }) => ({
      operationId,
      path,
      tag: (tags as string[])[0]!,
    })),
  );
  return operations.map(({ path, method, operation }) => ({
    ...names.get(operation.operationId)!,
    ...clientOperation(document, path, method, operation),
  }));
};

const clientOperation = (document: OpenApiDocument, path: string, method: string, operation: Operation) => {
  const { operationId, summary, description, requestBody, responses } = operation;
  const parameters = (operation.parameters ?? []).filter((one): one is Parameter => !('$ref' in one));
  const query = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const body = content && resolve(document, content.schema);
  const properties = {
    ...Object.fromEntries(parameters.map(({ name, description, schema }) => [name, { ...schema, description }])),
    ...body?.properties,
  };
  const required = [...parameters.filter((one) => one.required).map(({ name }) => name), ...(body?.required ?? [])];
  // An operation on users is about another user than that of the client.
  const takesUid = 'uid' in properties && !path.startsWith('/users');
  if (takesUid) properties.uid = { ...properties.uid, description: 'Id of the user. Default: `uid` of the client.' };
  const schema: JsonSchema = {
    type: 'object',
    properties,
    required: required.filter((name) => !(takesUid && name === 'uid')),
  };
  const response = responses[200]?.content['application/json']?.schema;
  const responseType = response && nameOfReference(response.$ref as string);
  const list = response && findList(resolve(document, response), responseType as string);
  const maxItems = list && (schema.properties?.limit?.maximum as number | undefined);
  return {
    operationId,
    summary: String(summary),
    description: String(description),
    method,
    path,
    query,
    takesUid,
    responseType,
    body: body && (type === 'application/json' ? ('json' as const) : ('form' as const)),
    params: Object.keys(properties).length > 0 ? { name: `${capitalize(operationId)}Params`, schema } : undefined,
    list,
    pageItems: maxItems && Math.min(defaultPageItems, maxItems),
  };
};

/** Without a limit, the service fills a page with as many items as fit. */
const defaultPageItems = 100;

const findList = ({ properties = {} }: JsonSchema, responseType: string): ClientOperation['list'] => {
  if (!properties.nextCursor) return undefined;
  const found = Object.entries(properties).find(([, { items }]) => items?.$ref);
  return found
    ? { field: found[0], itemType: nameOfReference(found[1].items?.$ref as string) }
    : { itemType: responseType };
};

/** The operations by group. */
const grouped = (operations: ClientOperation[]) => Object.entries(Object.groupBy(operations, ({ group }) => group));

/** Returns the source of the table with which the client calls the operations. */
export const operationTable = (document: OpenApiDocument): string => {
  const lines = grouped(clientOperations(document)).flatMap(([group, operations = []]) => [
    `  ${group}: {`,
    ...operations.map(({ verb, method, path, query, body, takesUid, responseType, list, pageItems }) => {
      const entry: Json = { method, path };
      if (query.length > 0) entry.query = query;
      if (body) entry.body = body;
      if (takesUid) entry.takesUid = true;
      if (list) entry.items = list.field ?? '';
      if (pageItems) entry.limit = pageItems;
      if (!responseType) entry.stream = true;
      return `    ${verb}: ${JSON.stringify(entry)},`;
    }),
    '  },',
  ]);
  return `${tableHead}export const operations: Record<string, Record<string, Operation>> = {\n${lines.join('\n')}\n};\n`;
};

const tableHead = `// Generated from the route table by \`npm run openapi\`.
import type { Operation } from './request.ts';

`;

/** Returns the source of an interface for each group of operations, and of one with all groups. */
export const groupInterfaces = (document: OpenApiDocument): string => {
  const groups = grouped(clientOperations(document));
  const interfaces = groups.map(([group, operations = []]) => {
    const methods = operations.map((operation) => {
      const { verb, summary, description, params, responseType, list, pageItems } = operation;
      const optional = params?.schema.required?.length === 0 ? '?' : '';
      const inputs = `${params ? `params${optional}: ${params.name}, ` : ''}options?: RequestOptions`;
      const response = list ? `ListRequest<${responseType}, ${list.itemType}>` : `Promise<Result<${responseType}>>`;
      const result = responseType ? response : 'AsyncGenerator<ChatPart, void>';
      const page = `Without \`limit\`, a page has ${pageItems} items. \`for await\` reads all pages.`;
      return `${comment([summary, description, pageItems && page].filter(Boolean).join('\n\n'))}\n    ${verb}(${inputs}): ${result};`;
    });
    return `export interface ${capitalize(group)} {\n${methods.join('\n')}\n}`;
  });
  const types = new Set(
    groups.flatMap(([, operations = []]) =>
      operations.flatMap(({ params, responseType, list }) => [params?.name, responseType, list?.itemType]),
    ),
  );
  const all = groups.map(([group]) => `    ${group}: ${capitalize(group)};`);
  return `${groupsHead}import type {\n${[...types].filter(Boolean).sort().join(',\n')}\n} from './types.ts';\n\n${interfaces.join('\n\n')}\n\n/** The operations of the service, by group. */\nexport interface Operations {\n${all.join('\n')}\n}\n`;
};

const groupsHead = `import type { ChatPart } from './chat.ts';
import type { ListRequest, RequestOptions, Result } from './request.ts';
`;

const comment = (text: string) =>
  `    /**\n${text.replaceAll('*/', '*\\/').replaceAll(/^/gm, '     * ').replaceAll(/ +$/gm, '')}\n     */`;
