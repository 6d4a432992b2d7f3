import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { payloadTooLarge } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';

/** The fields of a platform's event: JSON, or a form whatever its content type says. A body that is neither has no fields. */
export const readHookBody = (event: APIGatewayProxyEventV2): Record<string, unknown> => {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > limits.bodyBytes) throw payloadTooLarge(limits.bodyBytes);
  const text = bytes.toString();
  if (!text.trimStart().startsWith('{')) return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
};
