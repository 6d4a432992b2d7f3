import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context, StreamifyHandler } from 'aws-lambda';
import { limits } from '../../functions/domain/limits.ts';
import { chatTimeoutSeconds, functionTimeoutSeconds } from '../../functions/domain/timeouts.ts';
import { environment } from '../../functions/environment.ts';
import { cors } from '../../functions/http/cors.ts';
import { type AnyEndpoint, functionRoutes, isStreamed, type Method } from '../../functions/http/endpoint.ts';
import type { ApiHandler } from '../../functions/http/handler-types.ts';
import { lambda } from '../../functions/http/lambda.ts';
import { endpointPermissions } from '../../functions/http/permissions.ts';
import { routes } from '../../functions/routes.ts';
import type { Disk } from './disk.ts';
import { isLoopback } from './listen.ts';
import { describeRequest, type Report } from './log.ts';
import { sendPage } from './pages.ts';
import { type Rates, rateLimits } from './rate-limits.ts';

/** The methods and headers of the interface, as in the CORS settings of the deployed API. */
const preflight = {
  'access-control-allow-methods': cors.methods.join(),
  'access-control-allow-headers': cors.requestHeaders.join(),
  'access-control-max-age': String(cors.maxAgeSeconds),
};
const exposed = cors.responseHeaders.join();

type Route = { endpoint: AnyEndpoint; method: Method; segments: string[]; handler: ApiHandler };
type Settings = {
  /** The origins that may call from a browser. */
  origins: string[];
  /** The address of a tunnel to it. */
  publicUrl?: string;
  pages: Parameters<typeof sendPage>[0];
  /** While it is full, operations that write are refused. */
  disk?: Pick<Disk, 'isFull'>;
  rates?: Rates;
  /** Called with a line about each request. */
  report?: Report;
};
type Match = { route: Route; pathParameters: Record<string, string> };

/** Emulates API Gateway's HTTP API in front of the handlers that Lambda runs, and CloudFront in front of the pages. */
export const gateway = ({ origins, publicUrl, pages, disk, rates = {}, report }: Settings): RequestListener => {
  installStreamifyResponse();
  const table = routes.flatMap((endpoint) => {
    const handler = lambda(endpoint);
    return functionRoutes(endpoint).flatMap(({ method, path }) =>
      [path, ...(endpoint.raw?.otherPaths ?? [])].map((one) => ({
        endpoint,
        method,
        segments: one.split('/'),
        handler,
      })),
    );
  });
  // Any page may read these, as CloudFront says where it is in front.
  const publicDocuments = new Set(
    routes.flatMap(({ path, raw }) => (raw?.isPublicDocument ? [path, ...(raw.otherPaths ?? [])] : [])),
  );
  const isAdmitted = rateLimits(rates);
  const hosts = new Set([...origins, ...(publicUrl ? [publicUrl] : [])].map((origin) => URL.parse(origin)?.hostname));
  return async (request, response) => {
    const startedAt = performance.now();
    readAbsoluteForm(request);
    const [path = '/', query = ''] = splitOnce(request.url ?? '/', '?');
    const decoded = decode(path);
    const match = decoded === undefined ? undefined : matchRoute(table, request.method ?? 'GET', decoded);
    let body: string | undefined;
    response.on('close', () => {
      const template = match?.route.endpoint.path.replaceAll(/{[^}]+}/g, '…') ?? path;
      const facts = { method: request.method ?? '', path: template, milliseconds: performance.now() - startedAt };
      const requestId = response.getHeader('x-request-id') as string | undefined;
      const answer = { status: response.statusCode, body, requestId };
      if (request.method !== 'OPTIONS') report?.(describeRequest(facts, answer), requestId);
    });
    // Otherwise a page of another site that resolves its own name to this machine would be same-origin.
    if (!isAllowedHost(request.headers.host, hosts)) {
      const reason = describeForeignHost(request.headers.host);
      report?.(reason);
      return sendError(response, 403, reason);
    }
    if (!match && sendPage(pages, request, response)) return;
    const origin = origins.find((allowed) => allowed === request.headers.origin) ?? origins[0] ?? '';
    const isPublic = publicDocuments.has(path);
    response.setHeader('access-control-allow-origin', isPublic ? '*' : origin);
    response.setHeader('access-control-expose-headers', exposed);
    response.setHeader('vary', 'origin');
    try {
      if (request.method === 'OPTIONS') {
        const asking = request.headers.origin;
        if (asking && asking !== origin && !isPublic)
          report?.(`${asking} may not call from a browser. APP_ORIGIN allows ${origins.join(', ')}`);
        response.writeHead(204, preflight).end();
      } else if (decoded === undefined) sendError(response, 400, 'Bad Request');
      else if (match && !isAdmitted(match.route.endpoint, startedAt)) sendError(response, 429, 'Too Many Requests');
      else if (disk?.isFull && match && writes(match.route.endpoint)) sendDiskFull(response);
      else body = await respond(match, { path: decoded, query }, request, response);
    } catch (error) {
      console.error(error);
      if (!response.headersSent) sendError(response, 500, 'Internal Server Error');
      response.destroy();
    }
  };
};

/** Reads the absolute form of a request target, which clients of a proxy send: its host replaces the header (RFC 9112, 3.2.2). */
const readAbsoluteForm = (request: IncomingMessage) => {
  const [, host, target = ''] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(request.url ?? '') ?? [];
  if (host === undefined) return;
  request.url = target.startsWith('/') ? target : `/${target}`;
  request.headers.host = host;
  request.headersDistinct.host = [host];
};

const describeForeignHost = (header: string | undefined) => {
  const host = URL.parse(`http://${header}`)?.host.slice(0, 100);
  return host
    ? `${host} is not a host of this service. Start it with APP_ORIGIN=http://${host} to allow it.`
    : 'The Host of the request is not a host of this service.';
};

const isAllowedHost = (header: string | undefined, hosts: Set<string | undefined>) => {
  const url = URL.parse(`http://${header}`);
  // A path, a query or a user name would make another host of a text that begins or ends with one of these.
  if (!url || !/^[^\s/?#@\\]+$/.test(header ?? '')) return false;
  return isLoopback(url.hostname) || hosts.has(url.hostname);
};

/** Responds to a request, and returns the body that a function sent as a whole. */
const respond = async (
  match: Match | undefined,
  { path, query }: { path: string; query: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<string | undefined> => {
  const bytes = await read(request);
  const handles413 = match?.route.endpoint.raw?.multipart;
  if (bytes.length > limits.gatewayRequestBytes && !handles413)
    return sendError(response, 413, 'Request Entity Too Large');
  if (!match) return sendError(response, 404, 'Not Found');
  // API Gateway responds 413 with its own body. An upload endpoint responds itself, and its message says how to send larger files.
  const carried = handles413 ? bytes.subarray(0, Math.floor(limits.lambdaPayloadBytes * 0.74)) : bytes;
  const event = toGatewayEvent(request, match, path, query, carried);
  if (Buffer.byteLength(event.body ?? '') > limits.lambdaPayloadBytes)
    return sendError(response, 413, 'Request Entity Too Large');
  if (isStreamed(match.route.endpoint)) return stream(match.route.handler, event, response);
  const result = await invoke(match.route.handler, event);
  if (result === 'timed out') return sendError(response, 503, 'Service Unavailable');
  if (Buffer.byteLength(result.body ?? '') > limits.lambdaPayloadBytes)
    return sendError(response, 500, 'Internal Server Error');
  const body = Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8');
  const headers = { 'content-length': body.length, ...(result.headers as Record<string, string>) };
  response.writeHead(result.statusCode ?? 200, headers).end(body);
  return result.body;
};

/** Sends an error with the body that API Gateway itself would send. */
const sendError = (response: ServerResponse, status: number, message: string): undefined => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
};

/** Checks whether an operation writes. The count of a limited key's requests may be lost. */
const writes = (endpoint: AnyEndpoint) =>
  endpointPermissions(endpoint).some(
    (permission) =>
      !/:(BatchGet|Get|Query|Scan|List|Invoke|ConditionCheck)/.test(permission) && !permission.endsWith(':requests'),
  );

/** Refuses a request that writes, in the form of the service's own errors. */
const sendDiskFull = (response: ServerResponse) => {
  response.writeHead(503, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': randomUUID(),
    'retry-after': '10',
  });
  const message = 'The disk of the service is full. Nothing was done: try again when there is room.';
  response.end(JSON.stringify({ error: 'overloaded', message }));
};

/** Decodes a path, as API Gateway does before it matches a route: an encoded slash also separates segments. */
const decode = (path: string): string | undefined => {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
};

const matchRoute = (table: Route[], method: string, path: string): Match | undefined => {
  const given = path.split('/');
  // A deployment has a route for HEAD where it has one for GET.
  const routed = method === 'HEAD' ? 'GET' : method;
  const candidates = table.filter((route) => route.method === routed && route.segments.length === given.length);
  // API Gateway takes the most specific route: one without variables goes first.
  for (const route of candidates.sort((a, b) => countVariables(a) - countVariables(b))) {
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

const countVariables = ({ segments }: Route) => segments.filter((segment) => segment.startsWith('{')).length;

/** Returns an event of payload format 2.0: header names in lower case, repeated values joined by commas, values decoded once. */
const toGatewayEvent = (
  request: IncomingMessage,
  { route, pathParameters }: Match,
  rawPath: string,
  rawQueryString: string,
  bytes: Buffer,
): APIGatewayProxyEventV2 => {
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(request.headersDistinct)) headers[name] = (values ?? []).join(',');
  // The pages of a local run can be opened under any name of this machine. Each name counts as an origin of the application.
  if (headers.origin === `http://${headers.host}`) headers.origin = environment.appOrigins[0] as string;
  const { cookie, ...otherHeaders } = headers;
  const queryStringParameters: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    queryStringParameters[name] = name in queryStringParameters ? `${queryStringParameters[name]},${value}` : value;
  }
  const method = request.method ?? 'GET';
  const routeKey = `${route.endpoint.method} ${route.endpoint.path}`;
  const text = decodeText(bytes, headers['content-type'] ?? '');
  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString,
    headers: otherHeaders,
    cookies: cookie?.split('; '),
    queryStringParameters: rawQueryString === '' ? undefined : queryStringParameters,
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
    body: bytes.length > 0 ? (text ?? bytes.toString('base64')) : undefined,
    isBase64Encoded: bytes.length > 0 && text === undefined,
  };
};

/** Returns the body as text, or undefined if it is not text or not UTF-8. The event then carries it as base64. */
const decodeText = (bytes: Buffer, contentType: string): string | undefined => {
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

const stream = async (
  handler: ApiHandler,
  event: APIGatewayProxyEventV2,
  response: ServerResponse,
): Promise<undefined> => {
  const timer = setTimeout(() => response.destroy(), chatTimeoutSeconds * 1000);
  try {
    await (handler as unknown as StreamifyHandler)(
      event,
      response as unknown as awslambda.HttpResponseStream,
      buildContext(chatTimeoutSeconds),
    );
  } catch (error) {
    // The client may disconnect at any time.
    if (!response.destroyed) throw error;
  } finally {
    clearTimeout(timer);
  }
};

const buildContext = (seconds: number): Context => {
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
    timer = setTimeout(() => resolve('timed out'), functionTimeoutSeconds * 1000);
  });
  const result = await Promise.race([handler(event, buildContext(functionTimeoutSeconds)), timeout]);
  clearTimeout(timer);
  return result as APIGatewayProxyStructuredResultV2 | 'timed out';
};

/** Reads the body. If it is above API Gateway's limit, keeps only enough of it to exceed the limit. */
const read = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (bytes <= limits.gatewayRequestBytes) chunks.push(chunk);
    bytes += chunk.length;
  }
  return Buffer.concat(chunks);
};

const splitOnce = (text: string, separator: string) => {
  const index = text.indexOf(separator);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
};
