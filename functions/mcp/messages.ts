import type { CustomResponse } from '../domain/custom-response.ts';
import { asSent, isJsonObject } from '../domain/json.ts';
import { jsonResponse } from '../http/response.ts';

export type Fields = Record<string, unknown>;

/** A request or a notification of JSON-RPC 2.0. A notification has no id. `JSON.stringify` writes an id as it was sent. */
export type McpMessage = { method: string; id?: unknown; params: Fields };

/** Errors of JSON-RPC and of the Model Context Protocol (specification 2026-07-28, basic, error codes). */
const mcpErrors = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

/** An error of the protocol, as opposed to one of a tool. */
export class McpError extends Error {
  override readonly name = 'McpError';
  readonly code: number;
  /** The HTTP status of the response. */
  readonly status: number;
  readonly data: unknown;

  constructor(kind: keyof typeof mcpErrors, message: string, more: { status?: number; data?: unknown } = {}) {
    super(message);
    this.code = mcpErrors[kind];
    this.status = more.status ?? 400;
    this.data = more.data;
  }
}

/** Reads a message from a parsed body. There are no batches since version 2025-06-18. */
export const readMessage = (value: unknown): McpMessage => {
  if (!isJsonObject(value) || value.jsonrpc !== '2.0' || typeof value.method !== 'string') {
    throw new McpError('invalidRequest', 'The body must be one JSON-RPC 2.0 request or notification.');
  }
  const { method, id } = value;
  const params = fillEmpty(value.params);
  if (id !== undefined && !isId(id)) {
    throw new McpError('invalidRequest', 'The id of a request must be a string or an integer.');
  }
  if (!isJsonObject(params)) throw new McpError('invalidParams', 'params must be an object.');
  return { method, params, id: asSent(value, 'id') };
};

/** Returns an object for what some clients send instead of an empty one: nothing, `null`, an empty list or an empty text. */
export const fillEmpty = (value: unknown): unknown =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0) ? {} : value;

/** Returns the id of a message that may be malformed, to respond to it. */
export const readId = (value: unknown): unknown => (isJsonObject(value) && isId(value.id) ? asSent(value, 'id') : null);

const isId = (id: unknown) => typeof id === 'string' || Number.isInteger(id);

export const resultResponse = (id: unknown, result: Fields): CustomResponse =>
  jsonResponse({ jsonrpc: '2.0', id, result });

export const errorResponse = (id: unknown, { code, message, data, status }: McpError): CustomResponse =>
  jsonResponse({ jsonrpc: '2.0', id, error: { code, message, data } }, status);

/** The response to a notification. */
export const accepted: CustomResponse = { status: 202, contentType: 'text/plain', body: '' };
