import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { ApiError, type ErrorCode, payloadTooLarge, unsupportedCoding } from '../domain/errors.ts';
import { isDeeperThan, isJsonObject, parseJson } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';

/** Returns the bytes of a body. Throws if it is too large or compressed. */
export const decodeRequestBody = (
  { body = '', isBase64Encoded, headers }: Pick<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded' | 'headers'>,
  maxBytes: number = limits.bodyBytes,
  tooLarge = () => payloadTooLarge(maxBytes),
): Buffer => {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > maxBytes) throw tooLarge();
  const coding = headers['content-encoding']?.trim() ?? '';
  if (bytes.length > 0 && !/^(identity)?$/i.test(coding)) throw unsupportedCoding(coding);
  return bytes;
};

/** Checks whether a body is too large to be parsed for an unknown key. */
export const needsKey = ({ body = '' }: Pick<APIGatewayProxyEventV2, 'body'>): boolean =>
  body.length > limits.bodyBytesWithoutKey;

/** Reads a body as a JSON object of any content type: curl's `-d` must work. */
export const parseJsonBody = (
  event: APIGatewayProxyEventV2,
  maxBytes?: number,
  codeWithoutObject?: ErrorCode,
  parse: (bytes: Uint8Array) => unknown = parseJson,
): Record<string, unknown> => {
  const bytes = decodeRequestBody(event, maxBytes);
  if (bytes.length === 0) throw malformed('A JSON body is required.', codeWithoutObject);
  let value: unknown;
  try {
    value = parse(bytes);
  } catch {
    throw malformed('The body is not valid JSON in UTF-8.');
  }
  if (!isJsonObject(value)) throw malformed('The body must be a JSON object.', codeWithoutObject);
  if (isDeeperThan(value, limits.jsonDepth)) {
    throw malformed(`The body is nested deeper than ${limits.jsonDepth} levels.`);
  }
  return value;
};

/** Returns the error of a body that cannot be read. */
export const malformed = (message: string, code: ErrorCode = 'invalid_request') =>
  new ApiError(code, message, { details: [{ path: '', message }] });
