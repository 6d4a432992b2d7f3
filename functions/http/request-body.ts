import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type ApiError, payloadTooLarge } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';

/** Returns the bytes of a request's body. Throws `tooLarge` for a larger one. */
export const bodyOf = (
  { body = '', isBase64Encoded }: Pick<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded'>,
  maxBytes: number = limits.bodyBytes,
  tooLarge: ApiError = payloadTooLarge(maxBytes),
): Buffer => {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > maxBytes) throw tooLarge;
  return bytes;
};
