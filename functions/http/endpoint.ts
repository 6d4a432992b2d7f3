import type { Readable } from 'node:stream';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type * as z from 'zod/mini';
import type { JobMessage } from '../clients/job-queue.ts';
import type { Scope } from '../domain/api-keys.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { Service, ServicesOf } from '../service.ts';

/** An agent as a request names it. With `uid`, that user must be the key's. */
export type AgentReference = { uid?: string | undefined; agentId: string };

/**
 * Who may call: the holder of a key (for a user, or for one agent), the platform's own web application, or anyone.
 * Anyone may also send a key, where it is optional: then it must be good, and its holder reaches the handler.
 */
export type Caller<Request> =
  | { kind: 'key'; scope: Scope; agent: (request: Request) => AgentReference; user?: never }
  | { kind: 'key'; scope: Scope; user: (request: Request) => { uid: string }; agent?: never }
  | { kind: 'key'; scope: Scope; agent?: never; user?: never }
  | { kind: 'application' }
  | { kind: 'anyone'; key?: 'optional' };

/** An action of AWS that an endpoint's function may take, in IAM's own words. */
export type Permission =
  | 'dynamodb:BatchGetItem'
  | 'dynamodb:BatchWriteItem'
  | 'dynamodb:DeleteItem'
  | 'dynamodb:GetItem'
  | 'dynamodb:PartiQLInsert'
  | 'dynamodb:PartiQLUpdate'
  | 'dynamodb:PutItem'
  | 'dynamodb:Query'
  | 'dynamodb:UpdateItem'
  | 's3:DeleteObject'
  | 's3:GetObject'
  | 's3:ListBucket'
  | 's3:PutObject'
  | 'bedrock:InvokeModelWithResponseStream';

/** A secret that the stacks keep: the payment provider's key, or what the chat signs with. */
export type Secret = 'stripe' | 'chatSigning';

/** What a function touches on AWS. Grants and settings follow from it, so that a function is given no more than it names. */
export type Needs = {
  /** Actions on the table, the bucket and the model, beyond what the kit itself needs (see `permissionsOf`). */
  may: Permission[];
  /** The jobs it sends: it may send to their queues, and to no other. */
  sends?: JobMessage['job'][];
  /** The secrets it reads. */
  secrets?: Secret[];
};

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A body that is a multipart form, and how it is read: only functions that take one carry a parser (see `multipartForm`). */
export type MultipartForm = {
  /** The fields that may hold files; the endpoint's `body` finds them all in the first. */
  files: readonly [string, ...string[]];
  mostFiles: number;
  read(event: APIGatewayProxyEventV2): Promise<unknown>;
};

/** The key a request came with: whose it is and what it may do. */
export type Principal = { uid: string; keyId: string; scopes: Scope[] | undefined };

type Schema = z.core.$ZodType;
type Parsed<S> = S extends Schema ? z.infer<S> : undefined;

/** A request whose form is right. */
export type RequestForm<Params, Query, Body> = { params: Parsed<Params>; query: Parsed<Query>; body: Parsed<Body> };

/** What the kit adds to a request: who asks, from where and when, for which agent, and under which identity a thing may be made. */
export type Admission = {
  /** The holder of the key; without a key, nobody: an empty `uid`. */
  principal: Principal;
  /** The caller's network address. */
  address: string;
  /** The platform's id of the request: the one in the log and in `x-request-id`. */
  requestId: string;
  /** When the request came, on the clock of `performance.now()`. */
  receivedAt: number;
  /** The agent the request names, with its owner; of an endpoint that names none, empty texts. */
  agent: { agentId: string; uid: string };
  /** A ULID for what this request creates. The same again when an unfinished request is repeated under its Idempotency-Key. */
  creationId: string;
};

/** The whole of one operation: what it takes, who may call it, what it answers, what it uses, and what it does. */
export type Endpoint<
  Params extends Schema | undefined,
  Query extends Schema | undefined,
  Body extends Schema | undefined,
  Response extends Schema,
  U extends Record<string, Service<unknown>>,
> = Needs & {
  /** Also the `operationId`, and in kebab-case the file's and the function's name. */
  name: string;
  method: Method;
  /** As API Gateway spells it: `/calls/{agentId}/{callIdOrPhone}`. */
  path: string;
  summary: string;
  /** In Markdown, for the documents: what it does and what a caller should know. */
  description?: string;
  caller: Caller<RequestForm<Params, Query, Body>>;
  uses?: U;
  /** Path variables. They are texts, decoded once; one of a wrong form names nothing, so a schema here must not refuse. */
  params?: Params;
  query?: Query;
  body?: Body;
  /** What its body may weigh, where that is not the measure of all. */
  bodyBytes?: number;
  /** The code of a 400 on account of one field, by its path; the empty path is a body that is missing or no object. */
  codes?: Record<string, ErrorCode>;
  /** The body is not JSON but such a form. */
  multipart?: MultipartForm;
  /** Takes an `Idempotency-Key` header: repeated with it, the request answers as it did the first time. */
  idempotent?: true;
  /** Answers piece by piece: API Gateway cannot, so its function has an address of its own. */
  streams?: true;
  response: Response;
  /** What its refusals mean, by status, for the documents. */
  errors: Partial<Record<400 | 401 | 403 | 404 | 409 | 413 | 429, string>>;
  /** The codes of its own refusals, for the documents: beyond those that every endpoint of its kind has. */
  refusals?: ErrorCode[];
  handle(request: RequestForm<Params, Query, Body> & Admission, services: ServicesOf<U>): Promise<z.input<Response>>;
};

/** An answer that is sent while it comes about, with its media type among its headers. Whoever reads it slowly makes its body wait. */
export type StreamedAnswer = { headers: { 'content-type': string } & Record<string, string>; body: Readable };

/** An operation whose answer is streamed. */
export type StreamingEndpoint<
  Params extends Schema | undefined,
  Query extends Schema | undefined,
  Body extends Schema | undefined,
  U extends Record<string, Service<unknown>>,
> = Omit<Endpoint<Params, Query, Body, z.ZodMiniString, U>, 'handle' | 'idempotent' | 'streams'> & {
  streams: true;
  handle(request: RequestForm<Params, Query, Body> & Admission, services: ServicesOf<U>): Promise<StreamedAnswer>;
};

/** Any endpoint, to whoever does not care for its types: the router, the documents, the stacks. */
// biome-ignore lint/suspicious/noExplicitAny: an endpoint's types meet only inside it
export type AnyEndpoint = Endpoint<any, any, any, any, any>;

/** Declares an endpoint. Nothing happens: the types are checked, and the definition is given back. */
export const endpoint = <
  const Params extends Schema | undefined = undefined,
  const Query extends Schema | undefined = undefined,
  const Body extends Schema | undefined = undefined,
  Response extends Schema = Schema,
  // biome-ignore lint/suspicious/noExplicitAny: a service of anything
  // biome-ignore lint/complexity/noBannedTypes: no services
  U extends Record<string, Service<any>> = {},
>(
  definition: Endpoint<Params, Query, Body, Response, U>,
) => definition;

/** Declares an endpoint whose answer is streamed. */
export const streamingEndpoint = <
  const Params extends Schema | undefined = undefined,
  const Query extends Schema | undefined = undefined,
  const Body extends Schema | undefined = undefined,
  // biome-ignore lint/suspicious/noExplicitAny: a service of anything
  // biome-ignore lint/complexity/noBannedTypes: no services
  U extends Record<string, Service<any>> = {},
>(
  definition: StreamingEndpoint<Params, Query, Body, U>,
) => definition;

/** The actions an endpoint's function may take on AWS: those it names itself, and those of what the kit does for it. */
export const permissionsOf = (endpoint: AnyEndpoint): Permission[] => {
  const permissions = new Set(endpoint.may);
  const { caller } = endpoint;
  if (caller.kind === 'key' || (caller.kind === 'anyone' && caller.key)) permissions.add('dynamodb:BatchGetItem');
  if (endpoint.idempotent) permissions.add('dynamodb:PutItem').add('dynamodb:UpdateItem');
  return [...permissions].sort();
};
