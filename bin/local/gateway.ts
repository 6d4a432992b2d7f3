import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context, StreamifyHandler } from 'aws-lambda';
import type { AnyEndpoint } from '../../functions/http/endpoint.ts';
import { lambda } from '../../functions/http/lambda.ts';
import type { ApiHandler } from '../../functions/http/pipeline.ts';
import { routes } from '../../functions/routes.ts';
import { listen } from './listen.ts';
import type { pageServer } from './pages.ts';
import { type Started, StartupError } from './started.ts';

/** API Gateway's limit for a request, and Lambda's for an event and for a response. */
const requestBytes = 10 * 1024 * 1024;
const payloadBytes = 6 * 1024 * 1024;
const functionSeconds = 29;
/** A function that streams has a Function URL instead of API Gateway, and a longer timeout. */
const streamingSeconds = 60;

/** The methods and headers of the interface, as in the CORS settings of the deployed API. */
const preflight = {
  'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE',
  'access-control-allow-headers': 'content-type,x-authorization,idempotency-key',
  'access-control-max-age': '600',
};
const exposed = 'x-request-id,retry-after,idempotency-replayed';

type Route = { endpoint: AnyEndpoint; segments: string[]; handler: ApiHandler };
type Settings = { appOrigins: string[]; sendPage: ReturnType<typeof pageServer> };
type Match = { route: Route; pathParameters: Record<string, string> };

/**
 * Emulates API Gateway's HTTP API in front of the same handlers that Lambda runs.
 * It binds the port at once, and handles requests after `open` is called.
 */
export const startGateway = async (
  port: number,
): Promise<Started & { baseUrl: string; open(settings: Settings): void }> => {
  installStreamifyResponse();
  const table = routes.map((endpoint) => ({ endpoint, segments: endpoint.path.split('/'), handler: lambda(endpoint) }));
  const opened = Promise.withResolvers<Settings>();
  const server = createServer(async (request, response) => {
    const { appOrigins, sendPage } = await opened.promise;
    if (sendPage(request, response)) return;
    const { origin } = request.headers;
    response.setHeader(
      'access-control-allow-origin',
      appOrigins.find((one) => one === origin) ?? (appOrigins[0] as string),
    );
    response.setHeader('access-control-expose-headers', exposed);
    response.setHeader('vary', 'origin');
    respond(table, request, response).catch((error: Error) => {
      console.error(error);
      if (!response.headersSent) sendError(response, 500, 'Internal Server Error');
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

const respond = async (table: Route[], request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const [path = '/', query = ''] = splitOnce(request.url ?? '/', '?');
  if (request.method === 'OPTIONS') {
    response.writeHead(204, preflight).end();
    return;
  }
  const body = await read(request);
  const decoded = decode(path);
  if (decoded === undefined) return sendError(response, 400, 'Bad Request');
  const match = matchOf(table, request.method ?? 'GET', decoded);
  const handles413 = match?.route.endpoint.multipart;
  if (body.length > requestBytes && !handles413) return sendError(response, 413, 'Request Entity Too Large');
  if (!match) return sendError(response, 404, 'Not Found');
  // API Gateway answers 413 with its own body. An upload endpoint answers itself: its message names the way for larger files.
  const carried = handles413 ? body.subarray(0, Math.floor(payloadBytes * 0.74)) : body;
  const event = eventOf(request, match, decoded, query, carried);
  if (Buffer.byteLength(event.body ?? '') > payloadBytes) return sendError(response, 413, 'Request Entity Too Large');
  if (match.route.endpoint.streams) return stream(match.route.handler, event, response);
  const result = await invoke(match.route.handler, event);
  if (result === 'timed out') return sendError(response, 503, 'Service Unavailable');
  if (Buffer.byteLength(result.body ?? '') > payloadBytes) return sendError(response, 500, 'Internal Server Error');
  const bytes = Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8');
  const headers = { ...(result.headers as Record<string, string>), 'content-length': bytes.length };
  response.writeHead(result.statusCode ?? 200, headers).end(bytes);
};

/** Sends an error with the body that API Gateway itself would send. */
const sendError = (response: ServerResponse, status: number, message: string) => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
};

/** API Gateway decodes a path before it matches a route: an encoded slash separates segments, too. */
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
  // API Gateway takes the most specific route: one without variables goes first.
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

/** An event of payload format 2.0: header names in lower case, repeated values joined by commas, values decoded once. */
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

/** The body as text, or undefined if its type is not text or it is not UTF-8: then the event carries it as base64. */
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

/** Installs the global that Lambda's runtime has for streaming handlers; here the stream is the HTTP response itself. */
const installStreamifyResponse = () => {
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
    // The client may disconnect at any time.
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

/** Reads the body. Of one above API Gateway's limit it keeps only enough to exceed the limit. */
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
