import type middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { AuthorizedRequest } from './authorize.ts';
import type { Principal } from './endpoint.ts';
import type { ParsedInput } from './input.ts';

export type ApiEvent = APIGatewayProxyEventV2;
export type ApiResult = APIGatewayProxyStructuredResultV2;
export type ApiHandler = (event: ApiEvent, context: Context) => Promise<ApiResult>;

/** What each middleware hands on to those behind it, in the order in which they run. */
export type Internal = {
  /** By `logRequests`: when the request arrived, on the clock of `performance.now()`. */
  receivedAt: number;
  /** By `parseRequest`. */
  parsed: ParsedInput;
  /** By `authenticate`, as soon as the key is known to be valid. */
  principal?: Principal;
  /** By `authenticate` or `admit`: what the handler performs. */
  authorized: AuthorizedRequest;
};

/** Lambda's context with what the middleware found out: middy hands `internal` to middleware alone. */
export type HandlerContext = Context & { internal: Internal };

export type ApiMiddleware = middy.MiddlewareObj<ApiEvent, ApiResult, Error, HandlerContext, Internal>;
