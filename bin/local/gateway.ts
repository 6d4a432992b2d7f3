import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context, StreamifyHandler } from 'aws-lambda';
import type { AnyEndpoint } from '../../functions/http/endpoint.ts';
import { type ApiHandler, lambda } from '../../functions/http/lambda.ts';
import { routes } from '../../functions/routes.ts';
import { listen } from './listen.ts';
import type { pageServer } from './pages.ts';
import { type Started, StartupError } from './started.ts';

/** API Gateway's own bound on a request, and Lambda's on an event and on an answer. */
const requestBytes = 10 * 1024 * 1024;
const payloadBytes = 6 * 1024 * 1024;
const functionSeconds = 29;
/** A function that streams its answer has a Function URL, and longer. */
const streamingSeconds = 60;

/** Every header and method the interface uses, as the deployed API's CORS settings name them. */
const preflight = {
  'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE',
  'access-control-allow-headers': 'content-type,x-authorization,idempotency-key',
  'access-control-max-age': '600',
};
const exposed = 'x-request-id,retry-after,idempotency-replayed';

type Route = { endpoint: AnyEndpoint; segments: string[]; handler: ApiHandler };
type Settings = { appOrigin: string; sendPage: ReturnType<typeof pageServer> };
type Match = { route: Route; pathParameters: Record<string, string> };

/**
 * Speaks HTTP as API Gateway's HTTP API does, and hands requests to the same handlers that Lambda runs.
 * The port is taken at once; requests are answered from `open` on.
 */
export const startGateway = async (
  port: number,
): Promise<Started & { baseUrl: string; open(settings: Settings): void }> => {
  answerAsLambdaStreams();
  const table = routes.map((endpoint) => ({ endpoint, segments: endpoint.path.split('/'), handler: lambda(endpoint) }));
  const opened = Promise.withResolvers<Settings>();
  const server = createServer(async (request, response) => {
    const { appOrigin, sendPage } = await opened.promise;
    if (sendPage(request, response)) return;
    response.setHeader('access-control-allow-origin', appOrigin);
    response.setHeader('access-control-expose-headers', exposed);
    response.setHeader('vary', 'origin');
    answer(table, request, response).catch((error: Error) => {
      console.error(error);
      if (!response.headersSent) refuse(response, 500, 'Internal Server Error');
      response.destroy();
    });
  });
  const { endpoint: baseUrl, stop } = await listen(server, port).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE')
      throw new StartupError(
        `Port ${port} is taken: start with another one, as in \`npm start -- --port ${port + 1}\`.`,
      );
    throw new StartupError(
      `Port ${port} cannot be used (${error.code}): start with another one, as in \`npm start -- --port 8080\`.`,
    );
  });
  return { baseUrl, open: opened.resolve, stop };
};

const answer = async (table: Route[], request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const [path = '/', query = ''] = splitOnce(request.url ?? '/', '?');
  if (request.method === 'OPTIONS') {
    response.writeHead(204, preflight).end();
    return;
  }
  const body = await read(request);
  const decoded = decode(path);
  if (decoded === undefined) return refuse(response, 400, 'Bad Request');
  const match = matchOf(table, request.method ?? 'GET', decoded);
  const says413 = match?.route.endpoint.multipart;
  if (body.length > requestBytes && !says413) return refuse(response, 413, 'Request Entity Too Large');
  if (!match) return refuse(response, 404, 'Not Found');
  // On AWS, API Gateway answers 413 in its own words here. Of an upload the function does, and tells the way for larger ones.
  const carried = says413 ? body.subarray(0, Math.floor(payloadBytes * 0.74)) : body;
  const event = eventOf(request, match, decoded, query, carried);
  if (Buffer.byteLength(event.body ?? '') > payloadBytes) return refuse(response, 413, 'Request Entity Too Large');
  if (match.route.endpoint.streams) return stream(match.route.handler, event, response);
  const result = await invoke(match.route.handler, event);
  if (result === 'timed out') return refuse(response, 503, 'Service Unavailable');
  if (Buffer.byteLength(result.body ?? '') > payloadBytes) return refuse(response, 500, 'Internal Server Error');
  const bytes = Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8');
  const headers = { ...(result.headers as Record<string, string>), 'content-length': bytes.length };
  response.writeHead(result.statusCode ?? 200, headers).end(bytes);
};

/** What API Gateway answers by itself carries its own body. */
const refuse = (response: ServerResponse, status: number, message: string) => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
};

/** API Gateway decodes a path before it looks for its route: an encoded slash parts it, too. */
const decode = (path: string): string | undefined => {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
};

const matchOf = (table: Route[], method: string, path: string): Match | undefined => {
  const given = path.split('/');
  const candidates = table.filter(
    ({ endpoint, segments }) => endpoint.method === method && segments.length === given.length,
  );
  // A route without variables goes before one with: API Gateway takes the most specific.
  for (const route of candidates.sort((a, b) => variablesIn(a) - variablesIn(b))) {
    const pathParameters: Record<string, string> = {};
    const fits = route.segments.every((segment, index) => {
      const value = given[index] as string;
      if (!segment.startsWith('{')) return segment === value;
      pathParameters[segment.slice(1, -1)] = value;
      return value !== '';
    });
    if (fits) return { route, pathParameters };
  }
};

const variablesIn = ({ segments }: Route) => segments.filter((segment) => segment.startsWith('{')).length;

/** The event of payload format 2.0: headers in lower case, repeated ones joined by commas, values decoded once. */
const eventOf = (
  request: IncomingMessage,
  { route, pathParameters }: Match,
  rawPath: string,
  rawQueryString: string,
  bytes: Buffer,
): APIGatewayProxyEventV2 => {
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(request.headersDistinct)) headers[name] = (values ?? []).join(',');
  const { cookie, ...otherHeaders } = headers;
  const queryStringParameters: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    queryStringParameters[name] = name in queryStringParameters ? `${queryStringParameters[name]},${value}` : value;
  }
  const method = request.method ?? 'GET';
  const routeKey = `${route.endpoint.method} ${route.endpoint.path}`;
  const text = textOf(bytes, headers['content-type'] ?? '');
  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString,
    headers: otherHeaders,
    ...(cookie && { cookies: cookie.split('; ') }),
    ...(rawQueryString && { queryStringParameters }),
    pathParameters,
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: headers.host ?? 'localhost',
      domainPrefix: 'local',
      http: {
        method,
        path: rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey,
      stage: '$default',
      time: new Date().toUTCString(),
      timeEpoch: Date.now(),
    },
    ...(bytes.length > 0 && { body: text ?? bytes.toString('base64') }),
    isBase64Encoded: bytes.length > 0 && text === undefined,
  };
};

/** A body of a text type as text; of any other type, or when it is not UTF-8, nothing: it travels as base64. */
const textOf = (bytes: Buffer, contentType: string): string | undefined => {
  if (
    contentType &&
    !/^(text\/|application\/(json|javascript|xml|x-www-form-urlencoded)|[^;]*\+json)/i.test(contentType)
  )
    return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

/** What Lambda's own process has for handlers that stream: here the answer goes straight to whoever asked. */
const answerAsLambdaStreams = () => {
  const streamifyResponse = (handler: StreamifyHandler) => handler;
  const from = (response: ServerResponse, { statusCode, headers }: APIGatewayProxyStructuredResultV2) => {
    response.writeHead(statusCode ?? 200, headers as Record<string, string>);
    response.flushHeaders();
    return response;
  };
  Object.assign(globalThis, { awslambda: { streamifyResponse, HttpResponseStream: { from } } });
};

const stream = async (handler: ApiHandler, event: APIGatewayProxyEventV2, response: ServerResponse) => {
  const timer = setTimeout(() => response.destroy(), streamingSeconds * 1000);
  try {
    await (handler as unknown as StreamifyHandler)(
      event,
      response as unknown as awslambda.HttpResponseStream,
      contextFor(streamingSeconds),
    );
  } catch (error) {
    // Whoever asked may go away at any time.
    if (!response.destroyed) throw error;
  } finally {
    clearTimeout(timer);
  }
};

const contextFor = (seconds: number): Context => {
  const endsAt = Date.now() + seconds * 1000;
  return {
    awsRequestId: randomUUID(),
    functionName: 'local',
    getRemainingTimeInMillis: () => endsAt - Date.now(),
  } as unknown as Context;
};

const invoke = async (handler: ApiHandler, event: APIGatewayProxyEventV2) => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<'timed out'>((resolve) => {
    timer = setTimeout(() => resolve('timed out'), functionSeconds * 1000);
  });
  const result = await Promise.race([handler(event, contextFor(functionSeconds)), timeout]);
  clearTimeout(timer);
  return result as APIGatewayProxyStructuredResultV2 | 'timed out';
};

/** The body; of one larger than API Gateway takes, just enough more to tell. */
const read = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (bytes <= requestBytes) chunks.push(chunk);
    bytes += chunk.length;
  }
  return Buffer.concat(chunks);
};

const splitOnce = (text: string, separator: string) => {
  const index = text.indexOf(separator);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
};
