import type middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { ErrorCode } from '../domain/errors.ts';
import type { AuthorizedRequest } from './authorize.ts';
import type { Principal } from './endpoint.ts';
import type { ParsedInput } from './input.ts';

export type ApiEvent = APIGatewayProxyEventV2;
export type ApiResult = APIGatewayProxyStructuredResultV2;
export type ApiHandler = (event: ApiEvent, context: Context) => Promise<ApiResult>;

/** The values that each middleware passes to those after it, in the order in which they run. */
export type Internal = {
  /** Set by `logRequests`: the time of arrival, on the clock of `performance.now()`. */
  receivedAt: number;
  /** Set by `authenticate`: the request has neither a key nor a signature. */
  isUnsigned?: boolean;
  /** Set by `errorHandler`: the code of the error response. */
  errorCode?: ErrorCode;
  /** Set by `authenticate`: a write that the response waits for. */
  pendingWrite?: Promise<void>;
  /** Set by `authenticate`, as soon as the key is known to be valid. */
  principal?: Principal;
  /** Set by `authenticate`: the agent that the request names. */
  agentId?: string;
  /** Set by `authenticate` or `admit`. */
  parsed?: ParsedInput;
  authorized: AuthorizedRequest;
};

/** Lambda's context with the middleware's values, which middy does not pass to the handler. */
export type HandlerContext = Context & { internal: Internal };

export type ApiMiddleware = middy.MiddlewareObj<ApiEvent, ApiResult, Error, HandlerContext, Internal>;
