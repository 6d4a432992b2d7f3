import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import type { AnyEndpoint } from '../../functions/http/endpoint.ts';
import { lambda } from '../../functions/http/lambda.ts';

/** Runs an endpoint's handler in this process, where a test can put faults between it and the table. */
export const invoke = async (
  endpoint: AnyEndpoint,
  request: {
    apiKey: string;
    body?: unknown;
    query?: Record<string, string>;
    params?: Record<string, string>;
    headers?: Record<string, string>;
  },
) => {
  const event = {
    version: '2.0',
    routeKey: `${endpoint.method} ${endpoint.path}`,
    rawPath: endpoint.path,
    rawQueryString: '',
    headers: { 'x-authorization': request.apiKey, ...request.headers },
    queryStringParameters: request.query,
    pathParameters: request.params,
    requestContext: {
      requestId: randomUUID(),
      http: { method: endpoint.method, path: endpoint.path, sourceIp: '127.0.0.1' },
    },
    body: request.body === undefined ? undefined : JSON.stringify(request.body),
    isBase64Encoded: false,
  } as unknown as APIGatewayProxyEventV2;
  const result = await lambda(endpoint)(event, {} as Context);
  return { status: result.statusCode, headers: result.headers ?? {}, body: JSON.parse(result.body ?? 'null') };
};
