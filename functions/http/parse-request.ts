import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { invalidField, invalidRequest } from '../domain/errors.ts';
import { isJsonObject } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { validate } from '../domain/validation.ts';
import { parseVersion } from '../domain/version-number.ts';
import type { AgentReference, AnyEndpoint } from './endpoint.ts';
import type { Input, ParsedInput } from './input.ts';
import { parseJsonBody } from './request-body.ts';

/** Parses a request. `authorize` throws the error once the key is valid. */
export const parseRequest = async (endpoint: AnyEndpoint, event: APIGatewayProxyEventV2): Promise<ParsedInput> => {
  try {
    const sent = await readParts(endpoint, event);
    const ifMatch = endpoint.takesIfMatch ? parseIfMatch(event, endpoint.takesIfMatch === 'from zero') : undefined;
    const input = parseInput(endpoint, sent);
    return {
      input: { ...input, ifMatch },
      reference: readReference(endpoint, input),
      ignored: [...unknownFields(endpoint.query, sent.query), ...unknownFields(endpoint.body, sent.body)],
    };
  } catch (error) {
    return { error: error as Error };
  }
};

/** Returns the user and the agent that a request names, if any. */
const readReference = ({ caller }: AnyEndpoint, input: Input): Partial<AgentReference> =>
  caller.kind === 'key' ? (caller.agent?.(input) ?? caller.user?.(input) ?? {}) : {};

/** Parses the parts of a request, or throws a 400 that names each invalid field. */
const parseInput = (endpoint: AnyEndpoint, sent: Input): Input => {
  const parts = [
    validate(endpoint.params, sent.params),
    validate(endpoint.query, sent.query),
    validate(endpoint.body, sent.body),
  ];
  const failures = parts.flatMap(({ error }) => error ?? []);
  if (failures[0]) {
    const details = failures.flatMap(({ details }) => details ?? []);
    const codeOfField = details.map(({ path }) => endpoint.raw?.errorCodes?.[path]).find((code) => code !== undefined);
    throw invalidRequest(details, codeOfField ?? failures[0].code);
  }
  const [params, query, body] = parts.map(({ data }) => data);
  return { params, query, body };
};

const readParts = async (endpoint: AnyEndpoint, event: APIGatewayProxyEventV2): Promise<Input> => ({
  params: event.pathParameters ?? {},
  query: withoutEmptyPaging(event.queryStringParameters ?? {}),
  body: await readBody(endpoint, event),
});

/** Leaves out an empty `cursor` and an empty `limit`, as some programs write the first page. */
const withoutEmptyPaging = (query: Record<string, string | undefined>) =>
  Object.fromEntries(
    Object.entries(query).filter(([name, value]) => value !== '' || (name !== 'cursor' && name !== 'limit')),
  );

/** Returns the version that `If-Match` names; undefined if any version is accepted. */
const parseIfMatch = ({ headers }: APIGatewayProxyEventV2, isFromZero: boolean): number | undefined => {
  const sent = headers['if-match'];
  if (sent === undefined || sent === '*') return undefined;
  if (isFromZero && sent === '"0"') return 0;
  const version = /^".*"$/.test(sent) ? parseVersion(sent.slice(1, -1)) : undefined;
  if (version === undefined) throw invalidField('If-Match', 'must be a version in quotes, such as "7", or *');
  return version;
};

const readBody = ({ body, raw = {} }: AnyEndpoint, event: APIGatewayProxyEventV2): unknown => {
  if (raw.readBody) return raw.readBody(event);
  if (raw.multipart) return raw.multipart.read(event);
  return body && parseJsonBody(event, raw.maxBodyBytes, raw.errorCodes?.['']);
};

/** Returns the fields that an object's schema does not have. */
const unknownFields = (schema: AnyEndpoint['query'] | AnyEndpoint['body'], sent: unknown): string[] => {
  const definition = schema?._zod.def ?? { type: 'object', shape: {} };
  if (!isJsonObject(sent) || definition.type !== 'object' || definition.catchall) return [];
  const unknown: string[] = [];
  for (const name in sent) {
    if (Object.hasOwn(definition.shape, name) || !Object.hasOwn(sent, name)) continue;
    if (unknown.push(name) === limits.ignoredFields) break;
  }
  return unknown;
};
