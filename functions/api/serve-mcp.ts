import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as z from 'zod/mini';
import { ownApiOfMcp } from '../clients/own-api.ts';
import { describe, describedObject, integerField, objectComponent, textField } from '../domain/describe.ts';
import { isDeeperThan, parseJson } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambdaWithoutKey } from '../http/lambda.ts';
import { decodeRequestBody } from '../http/request-body.ts';
import { answer, type McpRequest } from '../mcp/answer.ts';
import { mcpTools, ToolGroup } from '../mcp/tools.ts';
import { buildChallenge } from '../oauth/metadata.ts';
import { accessTokens } from '../oauth/tokens.ts';

/** In a message, the arguments of a tool are two levels deeper than in the body of its operation. */
const jsonDepth = limits.jsonDepth + 2;

/** Reads the body. An invalid one is returned as a fault, to be reported as the protocol requires. */
const decodeMessage = (event: APIGatewayProxyEventV2): McpRequest => {
  const bytes = decodeRequestBody(event);
  try {
    const value = parseJson(bytes);
    return isDeeperThan(value, jsonDepth)
      ? { fault: `The body is nested deeper than ${jsonDepth} levels.` }
      : { value };
  } catch {
    return { fault: 'The body is not valid JSON in UTF-8.' };
  }
};

const Query = z.object({
  tools: z.optional(
    z
      .pipe(
        z.pipe(
          z.string(),
          z.transform((text: string) => text.split(',')),
        ),
        z.array(ToolGroup),
      )
      .check(
        z.meta({
          description: `The groups of tools to offer, separated by commas: those of a scope, and with \`read\` only those that change nothing. Default: all.`,
          examples: ['calls,read'],
          type: 'string',
        }),
      ),
  ),
});

const Message = describedObject('A message of JSON-RPC 2.0.', {
  jsonrpc: z.literal('2.0').check(describe('Version of JSON-RPC.', '2.0')),
  id: z.optional(z.union([z.string(), z.int()]).check(describe('Id of the request; a notification has none.', 1))),
  method: textField('`server/discover`, `tools/list`, `tools/call`, `initialize` or `ping`.', 'tools/list'),
  params: z.optional(z.looseObject({}).check(describe('What the method takes.', {}))),
});

const Fault = objectComponent('McpError', 'An error of JSON-RPC 2.0.', {
  jsonrpc: z.literal('2.0').check(describe('Version of JSON-RPC.', '2.0')),
  id: z
    .union([z.string(), z.int(), z.null()])
    .check(describe('Id of the request; `null` when it could not be read.', 1)),
  error: z
    .looseObject({
      code: integerField('Code of the error, by JSON-RPC and the protocol.', -32601),
      message: textField('What is wrong.', 'Method not found: prompts/list'),
    })
    .check(z.describe('The error.')),
});

/** Answers AI clients. Each tool call is a request to the operation, with the caller's key. */
export const serveMcp = endpoint({
  name: 'serveMcp',
  method: 'POST',
  path: '/mcp',
  summary: 'Use the operations from an AI client',
  description:
    'The Model Context Protocol, version 2026-07-28, and 2024-11-05 to 2025-11-25 for clients that open with `initialize`. Its tools are the operations that the scopes of the key allow; a tool call is a request to the operation with the same key. The key may also be sent as `Authorization: Bearer`, or an access token that the client has got by OAuth. There are no sessions and no streams.',
  caller: { kind: 'key', forwarded: true, accessTokens },
  readOnly: true,
  measuredAs: () => ({ class: 'mcp' }),
  namesPublicUrl: true,
  services: { ownApi: ownApiOfMcp, mcpTools },
  query: Query,
  body: z.custom<McpRequest>().check(z.meta({ description: 'A message of JSON-RPC 2.0.', documentAs: Message })),
  response: z.looseObject({}).check(describe('The response of JSON-RPC 2.0: a `result`, or an `error`.', {})),
  errors: ['unauthorized_origin'],
  errorDescriptions: { 401: 'The API key is missing or not valid.', 403: 'The `Origin` is not the web application’s.' },
  raw: {
    readBody: decodeMessage,
    refusedMethods: ['GET', 'DELETE'],
    // Some clients add a slash to the address that they are given.
    otherPaths: ['/mcp/'],
    responds: 'custom',
    challenge: buildChallenge,
    otherResponses: {
      202: { description: 'A notification, which needs no response.' },
      400: { description: 'The message, its version or its headers are invalid.', schema: Fault },
      404: { description: 'There is no such method.', schema: Fault },
      405: { description: 'The method is not POST: there are no streams and no sessions.' },
    },
  },

  async handle({ apiKey, tokenScopes, headers, query, body }, { ownApi, mcpTools }) {
    const tools = query.tools ? mcpTools.within(query.tools) : mcpTools;
    return answer(body, headers, { api: ownApi.narrow(tokenScopes), apiKey, tools });
  },
});

export const handler = lambdaWithoutKey(serveMcp);
