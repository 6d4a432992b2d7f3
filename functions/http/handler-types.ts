import type middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Cause } from '../cause.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { RequestAllowance } from '../domain/request-window.ts';
import type { AuthorizedRequest } from './authorize.ts';
import type { CountedRequest } from './count-requests.ts';
import type { Credentials, Identified } from './identify.ts';
import type { ParsedInput } from './input.ts';

export type ApiEvent = APIGatewayProxyEventV2;
export type ApiResult = APIGatewayProxyStructuredResultV2;
export type ApiHandler = (event: ApiEvent, context: Context) => Promise<ApiResult>;

/** The result of each step of a request, in order, up to a failure. */
export type Internal = {
  /** The time of arrival, on the clock of `performance.now()`. */
  receivedAt: number;
  /** The request as the cause of what it does. Its maker is known once it is authorized. */
  cause: Cause;
  /** Its key may be limited. */
  counted?: CountedRequest;
  /** What a limited key has left. */
  allowance?: RequestAllowance;
  credentials?: Credentials;
  parsed?: ParsedInput;
  identified?: Identified;
  authorized: AuthorizedRequest;
  errorCode?: ErrorCode;
  /** Its fallback has answered before. */
  isLate?: true;
};

/** Lambda's context with the middleware's values, which middy keeps from the handler. */
export type HandlerContext = Context & { internal: Internal };

export type ApiMiddleware = middy.MiddlewareObj<ApiEvent, ApiResult, Error, HandlerContext, Internal>;
