import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { AnyEndpoint } from '../../functions/http/endpoint.ts';
import { lambda } from '../../functions/http/lambda.ts';

/** A request for an operation, as a client states it. */
export type OperationRequest = {
  apiKey?: string;
  params?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** Sent as JSON; a text or bytes are sent as they are. */
  body?: unknown;
};

const toText = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));

/** Returns the event that API Gateway’s HTTP API makes of a request. */
export const makeEvent = (
  { method, path }: Pick<AnyEndpoint, 'method' | 'path'>,
  { apiKey, params, query, headers, body }: OperationRequest,
  sourceIp = '127.0.0.1',
): APIGatewayProxyEventV2 => {
  const rawPath = path.replace(/\{(\w+)\}/g, (_, name: string) => params?.[name] ?? '');
  const requestId = randomUUID();
  return {
    ...{ version: '2.0', routeKey: `${method} ${path}`, rawPath },
    rawQueryString: new URLSearchParams(query).toString(),
    headers: { ...(apiKey !== undefined && { 'x-authorization': apiKey }), ...headers },
    queryStringParameters: query,
    pathParameters: params,
    requestContext: { requestId, http: { method, path: rawPath, sourceIp } },
    body: body instanceof Uint8Array ? Buffer.from(body).toString('base64') : toText(body),
    isBase64Encoded: body instanceof Uint8Array,
  } as unknown as APIGatewayProxyEventV2;
};

/** Runs an endpoint's handler in this process, where a test can put faults between it and the table. */
export const invoke = async (endpoint: AnyEndpoint, request: OperationRequest) => {
  const {
    statusCode,
    headers = {},
    body: text = '',
  } = await lambda(endpoint)(makeEvent(endpoint, request), {} as Context);
  const isJson = String(headers['content-type']).startsWith('application/json');
  return { status: statusCode, headers, text, body: isJson && text ? JSON.parse(text) : undefined };
};
