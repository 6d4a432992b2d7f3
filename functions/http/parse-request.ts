import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import {
  ApiError,
  type ErrorCode,
  type ErrorDetail,
  errorStatuses,
  invalidRequest,
  payloadTooLarge,
} from '../domain/errors.ts';
import { isDeeperThan, parseJson } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { ApiMiddleware, FormRead } from './lambda.ts';

/**
 * Reads the request against its endpoint's schemas. A wrong form is not told yet but kept for `authenticate`:
 * nobody learns anything from a validation message without a valid key.
 */
export const readForm = (endpoint: AnyEndpoint): ApiMiddleware => ({
  async before({ event, context }) {
    try {
      context.form = await read(endpoint, event);
    } catch (refusal) {
      context.form = { refusal: refusal as Error };
    }
  },
});

const read = async (endpoint: AnyEndpoint, event: APIGatewayProxyEventV2): Promise<FormRead> =>
  readParts(endpoint, {
    params: event.pathParameters ?? {},
    query: event.queryStringParameters ?? {},
    body: endpoint.multipart ? await endpoint.multipart.read(event) : endpoint.body && readJson(event, endpoint),
  });

/** The parts of a request as its endpoint's schemas read them; 400 that names each bad field. */
export const readParts = (endpoint: AnyEndpoint, given: FormRead): FormRead => {
  const parts = [
    check(endpoint.params, given.params),
    check(endpoint.query, given.query),
    check(endpoint.body, given.body),
  ];
  const refusals = parts.flatMap(({ refusal }) => refusal ?? []);
  if (refusals[0]) {
    const details = refusals.flatMap(({ details }) => details ?? []);
    const named = details.map(({ path }) => endpoint.codes?.[path]).find((code) => code !== undefined);
    throw invalidRequest(details, named ?? refusals[0].code);
  }
  const [params, query, body] = parts.map(({ data }) => data);
  return { params, query, body };
};

/** A value as its schema reads it, or a refusal that names each bad field. */
export const check = <S extends z.core.$ZodType>(
  schema: S | undefined,
  value: unknown,
): { data: z.infer<S>; refusal?: undefined } | { data?: undefined; refusal: ApiError } => {
  if (!schema) return { data: undefined as z.infer<S> };
  const result = z.safeParse(schema, value, { error: sentences });
  if (result.success) return { data: result.data };
  const { issues } = result.error;
  const details: ErrorDetail[] = issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const code = issues.map((issue) => (issue.code === 'custom' ? issue.params?.code : undefined)).find(isErrorCode);
  return { refusal: invalidRequest(details, code) };
};

const isErrorCode = (code: unknown): code is ErrorCode => typeof code === 'string' && code in errorStatuses;

/** Zod's English, given to each parse: `zod/mini` brings no language of its own. What is missing is `undefined` to it alone. */
const english = en().localeError;
const sentences: z.core.$ZodErrorMap = (issue) => (issue.input === undefined ? 'is required' : english(issue));

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The body as a JSON object, whatever its content type says: curl's `-d` must work. */
const readJson = (event: APIGatewayProxyEventV2, endpoint: AnyEndpoint): unknown => {
  const missing = endpoint.codes?.[''];
  const most = endpoint.bodyBytes ?? limits.bodyBytes;
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > most) throw payloadTooLarge(most);
  if (bytes.length === 0) throw malformed('A JSON body is required.', missing);
  let value: unknown;
  try {
    value = parseJson(utf8.decode(bytes));
  } catch {
    throw malformed('The body is not valid JSON in UTF-8.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed('The body must be a JSON object.', missing);
  }
  if (isDeeperThan(value, limits.jsonDepth)) {
    throw malformed(`The body is nested deeper than ${limits.jsonDepth} levels.`);
  }
  return value;
};

const malformed = (message: string, code: ErrorCode = 'invalid_request') =>
  new ApiError(code, message, { details: [{ path: '', message }] });
