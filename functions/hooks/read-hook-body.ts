import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { bodyOf } from '../http/request-body.ts';

/** The fields of a platform's event: JSON, or a form whatever its content type says. A body that is neither has no fields. */
export const readHookBody = (event: APIGatewayProxyEventV2): Record<string, unknown> => {
  const text = bodyOf(event).toString();
  if (!text.trimStart().startsWith('{')) return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
};
