import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { ApiError, type ErrorCode, invalidRequest } from '../domain/errors.ts';
import { isDeeperThan, isJsonObject, parseJson } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { validate } from '../domain/validation.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { ApiMiddleware } from './handler-types.ts';
import type { Input, ParsedInput } from './input.ts';
import { bodyOf } from './request-body.ts';

/**
 * Parses a request with its endpoint's schemas. An error is kept for `authorize`, which reports it once the key is known:
 * nobody learns anything from a validation message without a valid key.
 */
export const parseRequest = (endpoint: AnyEndpoint): ApiMiddleware => ({
  async before({ event, internal }) {
    internal.parsed = await toParsedInput(async () => parseInput(endpoint, await readParts(endpoint, event)));
  },
});

/** Returns the result of `parse`, or the error that it throws. */
const toParsedInput = async (parse: () => Promise<Input>): Promise<ParsedInput> => {
  try {
    return { input: await parse() };
  } catch (error) {
    return { error: error as Error };
  }
};

/** Parses the parts of a request with the endpoint's schemas. Throws a 400 that names each invalid field. */
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
  query: event.queryStringParameters ?? {},
  body: await readBody(endpoint, event),
});

const readBody = (endpoint: AnyEndpoint, event: APIGatewayProxyEventV2): unknown => {
  const { readBody, multipart } = endpoint.raw ?? {};
  if (readBody) return readBody(event);
  return multipart ? multipart.read(event) : endpoint.body && readJson(endpoint, event);
};

/** Reads the body as a JSON object, whatever its content type says: curl's `-d` must work. */
const readJson = (endpoint: AnyEndpoint, event: APIGatewayProxyEventV2): unknown => {
  const codeWithoutObject = endpoint.raw?.errorCodes?.[''];
  const bytes = bodyOf(event, endpoint.raw?.maxBodyBytes);
  if (bytes.length === 0) throw malformed('A JSON body is required.', codeWithoutObject);
  let value: unknown;
  try {
    value = parseJson(bytes);
  } catch {
    throw malformed('The body is not valid JSON in UTF-8.');
  }
  if (!isJsonObject(value)) {
    throw malformed('The body must be a JSON object.', codeWithoutObject);
  }
  if (isDeeperThan(value, limits.jsonDepth)) {
    throw malformed(`The body is nested deeper than ${limits.jsonDepth} levels.`);
  }
  return value;
};

const malformed = (message: string, code: ErrorCode = 'invalid_request') =>
  new ApiError(code, message, { details: [{ path: '', message }] });
