import middy from '@middy/core';
import { executionModeStandard } from '@middy/core/Standard';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { newUlid } from '../domain/identifiers.ts';
import { lazyServices } from '../service.ts';
import { addressOf } from './address.ts';
import { authenticate } from './authenticate.ts';
import { admit } from './authorize.ts';
import type { Admission, AnyEndpoint } from './endpoint.ts';
import { answerOnce } from './idempotency.ts';
import { logRequests } from './log-requests.ts';
import { readForm } from './parse-request.ts';
import { errorHandler, json } from './response.ts';
import { canStream, streamed } from './stream.ts';

export type ApiEvent = APIGatewayProxyEventV2;
export type ApiResult = APIGatewayProxyStructuredResultV2;

/** Lambda's context, on which the middlewares hand on what they found out. */
export type KitContext = Context & Partial<Admission> & { form?: Form };

/** A request as its endpoint's schemas read it, or what is to be told of its form once the key is known to be good. */
export type Form = FormRead | { refusal: Error };
export type FormRead = { params: unknown; query: unknown; body: unknown };

export type ApiMiddleware = middy.MiddlewareObj<ApiEvent, ApiResult, Error, KitContext>;
export type ApiHandler = (event: ApiEvent, context: Context) => Promise<ApiResult>;

const nobody = { uid: '', keyId: '', scopes: undefined };
const noAgent = { agentId: '', uid: '' };

/**
 * Makes an endpoint a Lambda handler for API Gateway's HTTP API (payload 2.0). In this order:
 * request log, error answers, form (kept back until the key is known), key and access, handle, response schema.
 */
export const lambda = (endpoint: AnyEndpoint): ApiHandler => handlerOf(endpoint, authenticate(endpoint), answerOnce);

/** The same for an endpoint without keys. Its bundle is lighter by all that reading the table takes. */
export const lambdaWithoutKey = (endpoint: AnyEndpoint): ApiHandler => handlerOf(endpoint, admit(endpoint));

const handlerOf = (endpoint: AnyEndpoint, admission: ApiMiddleware, once?: typeof answerOnce): ApiHandler => {
  const services = lazyServices(endpoint.uses ?? {});
  const asItComes = canStream();

  const handle = async (event: ApiEvent, context: KitContext) => {
    const { principal = nobody, agent = noAgent, receivedAt = 0 } = context;
    const form = context.form as FormRead;
    const { requestId } = event.requestContext;
    const admission = { principal, agent, address: addressOf(event), requestId, receivedAt };
    const answer = async (creationId: string) => {
      const result = await endpoint.handle({ ...form, ...admission, creationId }, services);
      return endpoint.streams ? streamed(result, asItComes) : json(200, z.parse(endpoint.response, result));
    };
    return endpoint.idempotent && once ? once(endpoint, event, context, answer) : answer(newUlid());
  };

  const executionMode = endpoint.streams && asItComes ? executionModeStreamifyResponse : executionModeStandard;
  return middy<ApiEvent, ApiResult, Error, KitContext>({ timeoutEarlyInMillis: 500, executionMode })
    .use(logRequests(endpoint))
    .use(errorHandler())
    .use(readForm(endpoint))
    .use(admission)
    .handler(handle) as unknown as ApiHandler;
};
