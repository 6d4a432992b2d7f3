import * as z from 'zod/mini';
import type { ServicesOf } from '../service.ts';
import type { AuthorizedRequest } from './authorize.ts';
import type { AnyEndpoint, RequestContext } from './endpoint.ts';
import type { ApiResult } from './handler-types.ts';
import { custom, json } from './response.ts';
import { streamed } from './stream.ts';

/** Runs the handler of an authorized request, and validates the response. */
export const perform = async (
  endpoint: AnyEndpoint,
  { input, ...authorized }: AuthorizedRequest,
  context: RequestContext,
  // biome-ignore lint/suspicious/noExplicitAny: an endpoint's types meet only inside it
  services: ServicesOf<any>,
): Promise<ApiResult> => {
  const result = await endpoint.handle({ ...context, ...authorized, ...input }, services);
  if (endpoint.raw?.responds === 'stream') return streamed(result);
  if (endpoint.raw?.responds === 'custom') return custom(result);
  const body = z.parse(endpoint.response, result);
  const otherForm = endpoint.raw?.inOtherForm?.(input, body);
  if (otherForm) return custom(otherForm);
  return json(200, body, endpoint.hasETag && { etag: `"${(body as { version: number }).version}"` });
};
