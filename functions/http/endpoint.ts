import type { Readable } from 'node:stream';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { Scope, UserMarks } from '../domain/api-keys.ts';
import type { CustomResponse } from '../domain/custom-response.ts';
import type { OutcomeRules } from '../domain/declared-outcomes.ts';
import type { ApiError, ErrorCode } from '../domain/errors.ts';
import type { Measured } from '../domain/metrics.ts';
import type { Service, ServicesOf } from '../service.ts';
import type { Lookup } from '../store/table.ts';

/** An agent as a request names it. A `uid` must be the key's. */
export type AgentReference = { uid?: string; agentId: string };

/** The permitted callers. The handler's argument follows from them. */
export type Caller<Input> =
  | ({
      kind: 'key';
      scope: Scope;
      forwarded?: never;
      /** A lookup in the round trip of the key. The handler gets its result. */
      prefetch?: (input: Input) => Lookup<unknown> | undefined;
    } & (
      | { agent: (input: Input) => AgentReference; user?: never }
      | {
          /** If it returns an `agentId`, the user must have access to that agent. */
          user: (input: Input) => { uid: string; agentId?: string };
          agent?: never;
          /** A platform signs its requests, or sends a key, also in the query. */
          // biome-ignore lint/suspicious/noExplicitAny: what is found is known where it is verified
          signature?: SignedRequests<any>;
          /** Selects the requests of a suspended user that are performed all the same. */
          servesSuspended?: (input: Input) => boolean;
        }
    ))
  | {
      kind: 'key';
      /** Without a scope, any key is permitted; any of several scopes will do. */
      scope?: Scope | readonly [Scope, ...Scope[]];
      /** The operation is on users, keys or access: its `uid` may be a client's. */
      administersUsers?: true;
      forwarded?: never;
      agent?: never;
      user?: never;
    }
  /** Operations that this function calls authenticate the key. The function has no table access. */
  | {
      kind: 'key';
      forwarded: true;
      /** Exchanges the access token of an AI client for the key with which its request goes on. */
      accessTokens?: Service<{ exchange(token: string): Promise<{ apiKey: string; scopes?: Scope[] }> }>;
      scope?: never;
      agent?: never;
      user?: never;
    }
  | { kind: 'application' }
  | { kind: 'anyone'; key?: 'optional' };

/** The authenticated user and key. A signature has no name and no end. */
export type Principal = {
  uid: string;
  keyId: string;
  scopes: Scope[] | undefined;
  name?: string;
  endsAt?: string;
  isKeyInAddress?: boolean;
  /** The limit of the key. */
  requestsPerMinute?: number;
  /** The key is one that the operator's commands use for a while. */
  isOperators?: true;
  /** The platform's signature does not cover the attestation. */
  isAttestationUnsigned?: boolean;
} & Pick<UserMarks, 'agentQuota' | 'sourceQuota' | 'budgetMark'>;

/** The agent that a request names, after the check of access. */
export type AuthorizedAgent = { agentId: string; uid: string; outcomeRules: OutcomeRules; discloses?: boolean };

/** Authenticates requests by a signature instead of an API key. */
export type SignedRequests<Secrets> = {
  services: Record<string, Service<unknown>>;
  /** Checks whether a request may be signed, by its headers only. */
  mayBeSigned(event: APIGatewayProxyEventV2): boolean;
  /** Looks up the secrets of the user whom the request names. */
  lookup(event: APIGatewayProxyEventV2): Lookup<Secrets | undefined> | undefined;
  /** Returns the error for a user without secrets: that of a wrong signature. */
  refusal(event: APIGatewayProxyEventV2): ApiError;
  /** Checks whether a request is signed with one of these secrets. Writes nothing. */
  isSigned(event: APIGatewayProxyEventV2, secrets: Secrets): Promise<boolean>;
  /** Returns the principal of a signed request, and a pending write. Throws for any other. */
  verify(
    event: APIGatewayProxyEventV2,
    secrets: Secrets,
  ): Promise<{ principal: Principal; pendingWrite?: Promise<void>; isSuspended?: boolean }>;
};

/** The result of authorization that a handler gets, as its endpoint's `caller` requires. */
type Authorized<C> = (C extends { kind: 'key'; agent: unknown }
  ? { principal: Principal; agent: AuthorizedAgent }
  : C extends { kind: 'key'; forwarded: true }
    ? { apiKey: string; tokenScopes?: Scope[] }
    : C extends { kind: 'key' }
      ? { principal: C extends { signature: unknown } ? Principal : Principal & { name: string } }
      : C extends { kind: 'anyone'; key: 'optional' }
        ? { apiKey?: string }
        : object) &
  // biome-ignore lint/suspicious/noExplicitAny: the input is known where `prefetch` is declared
  (C extends { prefetch: (input: any) => infer L } ? { found: FoundBy<L> } : object);
type FoundBy<L> = L extends Lookup<infer Found> ? Found : undefined;

/** Facts about every request. */
export type RequestContext = {
  /** The caller's network address. */
  address: string;
  /** The query as it was sent. */
  rawQuery: string;
  /** The headers by name, in lower case. */
  headers: Record<string, string | undefined>;
  /** The id in the log and in `x-request-id`. */
  requestId: string;
  /** The time of arrival, on the clock of `performance.now()`. */
  receivedAt: number;
  /** The version that the caller has seen, where the operation takes an `If-Match`. */
  ifMatch?: number;
  /** The names of fields that have no meaning in this request. A handler adds those that only it knows. */
  ignored: string[];
  /** A ULID for what this request creates: the same when the request is repeated. */
  creationId: string;
};

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A multipart form and its parser, which only functions that take a form contain. */
export type MultipartForm = {
  /** The fields that may hold files. The first one holds all in the input. */
  files: readonly [string, ...string[]];
  maxFiles: number;
  read(event: APIGatewayProxyEventV2): Promise<unknown>;
};

type Schema = z.core.$ZodType;
type Parsed<S> = S extends Schema ? z.infer<S> : undefined;

/** The parts of a request as its endpoint's schemas parsed them. */
export type RequestInput<Params, Query, Body> = { params: Parsed<Params>; query: Parsed<Query>; body: Parsed<Body> };

type AnyServices = Record<string, Service<unknown>>;

/** One operation: its contract for callers, the services it uses, and its handler. */
export type Endpoint<
  Params extends Schema | undefined,
  Query extends Schema | undefined,
  Body extends Schema | undefined,
  Response extends Schema,
  Services extends AnyServices,
  C extends Caller<RequestInput<Params, Query, Body>>,
  Form extends keyof Results<Response>,
> = {
  /** The `operationId`, and in kebab-case the name of the file and the function. */
  name: string;
  method: Method;
  /** The path in API Gateway's notation: `/calls/{agentId}/{callIdOrPhone}`. */
  path: string;
  summary: string;
  /** In Markdown, for the documentation. */
  description?: string;
  caller: C;
  /** The stores and clients by method. Its function gets their permissions alone. */
  services?: Services;
  /** Path variables. A malformed one names nothing, so a schema here must not reject it. */
  params?: Params;
  query?: Query;
  body?: Body;
  /** A POST that changes nothing. Every other keyed POST and PATCH takes an `Idempotency-Key`. */
  readOnly?: true;
  /** The response has a secret and is not kept. A repetition computes it again. */
  confidential?: true;
  response: Response;
  /** The response has a `version`, which is also its `ETag`. */
  hasETag?: true;
  /** Requests may have an `If-Match`: the version that the caller has seen, which is 0 before there is one. */
  takesIfMatch?: true | 'from zero';
  /** The codes of its errors beside those of all endpoints of its kind. */
  errors?: ErrorCode[];
  /** The meaning of an error status, where the codes do not say enough. */
  errorDescriptions?: Partial<Record<400 | 401 | 403 | 404 | 409 | 412 | 413 | 429, string>>;
  /** The memory of its function. CPU grows with it: 1,769 MB give a full core. */
  memoryMegabytes?: 1024 | 1769;
  /** The class of its requests in metrics. Default: `management`. The input is unknown where it is invalid. */
  measuredAs?: (input: RequestInput<Params, Query, Body> | undefined) => Measured;
  /** A call waits for it: no batch of other requests exhausts its rate. */
  atCallTime?: true;
  /** Its responses name the public address of the deployment. */
  namesPublicUrl?: true;
  /** It limits requests of one address, which CloudFront then sends. */
  limitsAddresses?: true;
  raw?: RawExchange<RequestInput<Params, Query, Body>, Form, z.infer<Response>>;
  handle(
    request: RequestInput<Params, Query, Body> & Authorized<C> & RequestContext,
    services: ServicesOf<Services>,
  ): Promise<Results<Response>[Form]>;
};

/** The settings of operations that do not simply take and return JSON. */
export type RawExchange<Input, Form, Result> = {
  /** The maximum size of the body, if it is not `limits.bodyBytes`. */
  maxBodyBytes?: number;
  /** Parses the body, instead of as JSON, for the schema `body`. */
  readBody?(event: APIGatewayProxyEventV2): unknown;
  /** The media type of a body that `readBody` reads, for the documentation. */
  requestMediaType?: string;
  /** Returns the `WWW-Authenticate` of a 401. */
  challenge?(code: ErrorCode): string | undefined;
  /** The body is a multipart form. */
  multipart?: MultipartForm;
  /** The code of a 400 by field. The empty path stands for a missing body. */
  errorCodes?: Record<string, ErrorCode>;
  /** Methods that get 405 here, where the gateway would answer 404. */
  refusedMethods?: Method[];
  /** Further paths, which CloudFront rewrites. The documentation omits them. */
  otherPaths?: string[];
  /** Any page may read the response, and anybody may cache it. */
  isPublicDocument?: true;
  /** The form of the responses, if not JSON. `response` then only documents them. */
  responds?: Form;
  /** Returns a response in the form that a request asks for. Models get no `format`. */
  inOtherForm?(input: Input, result: Result): CustomResponse | undefined;
  /** The media types of the responses other than JSON, for the documentation. */
  mediaTypes?: string[];
  /** Responses with a body of their own, or none, for the documentation. */
  otherResponses?: Record<number, { description: string; schema?: Schema }>;
  /** Replaces a response that is late, a 500, or a suspended user's 403. */
  fallback?: {
    afterMilliseconds: number;
    respond(input: Input, request: { requestId: string; isSuspended: boolean }): CustomResponse | undefined;
  };
};

/** A response that is sent while it is produced. A slow reader applies back-pressure. */
export type StreamedResponse = { headers: { 'content-type': string } & Record<string, string>; body: Readable };

/** The results of `handle` by form. A stream has its own URL: API Gateway cannot stream. */
type Results<Response> = { json: z.input<Response>; custom: CustomResponse; stream: StreamedResponse };

/** Any endpoint, for the router, the documentation and the stacks. */
// biome-ignore lint/suspicious/noExplicitAny: an endpoint's types meet only inside it
export type AnyEndpoint = Endpoint<any, any, any, any, any, Caller<any>, keyof Results<any>>;

/** Returns the scopes any of which a key needs. */
export const endpointScopes = ({ caller }: Pick<AnyEndpoint, 'caller'>): Scope[] =>
  caller.kind === 'key' && caller.scope ? [caller.scope].flat() : [];

/** Returns true for operations on users, keys and access. */
export const administersUsers = ({ caller }: Pick<AnyEndpoint, 'caller'>): boolean => 'administersUsers' in caller;

export const isStreamed = ({ raw }: AnyEndpoint): boolean => raw?.responds === 'stream';

/** Returns the methods and paths of an endpoint's function, with those that it refuses. */
export const functionRoutes = ({ method, path, raw }: AnyEndpoint): { method: Method; path: string }[] =>
  [method, ...(raw?.refusedMethods ?? [])].map((method) => ({ method, path }));

/** The cheapest memory of a function, according to `npm run bench -- cold-starts`. */
export const defaultMemoryMegabytes = 512;

export const functionMemoryMegabytes = ({ memoryMegabytes }: AnyEndpoint): number =>
  memoryMegabytes ?? defaultMemoryMegabytes;

/** Checks whether an `Idempotency-Key` returns the first response again. */
export const takesIdempotencyKey = ({ caller, method, readOnly }: AnyEndpoint): boolean =>
  caller.kind === 'key' && (method === 'POST' || method === 'PATCH') && !readOnly;

/** Declares an endpoint: checks its types, and returns it unchanged. */
export const endpoint = <
  const Params extends Schema | undefined = undefined,
  const Query extends Schema | undefined = undefined,
  const Body extends Schema | undefined = undefined,
  Response extends Schema = Schema,
  // biome-ignore lint/suspicious/noExplicitAny: a service of anything
  // biome-ignore lint/complexity/noBannedTypes: no services
  Services extends Record<string, Service<any>> = {},
  const C extends Caller<RequestInput<Params, Query, Body>> = Caller<RequestInput<Params, Query, Body>>,
  Form extends keyof Results<Response> = 'json',
>(
  definition: Endpoint<Params, Query, Body, Response, Services, C, Form>,
) => definition;
