import { type JSONSchema7, jsonSchema, type Tool } from 'ai';
import * as z from 'zod/mini';
import { type OwnApi, requireSuccess } from '../clients/own-api.ts';
import type { ToolName } from '../domain/chat.ts';
import { ApiError } from '../domain/errors.ts';
import { validate } from '../domain/validation.ts';
import { hasScope } from '../http/authorize.ts';
import type { Principal } from '../http/endpoint.ts';
import { log } from '../log.ts';
import type { JsonSchema } from '../openapi/openapi.ts';
import { callOperation, operations } from '../operations/call-operation.ts';
import { readArguments } from '../operations/read-arguments.ts';
import { describeWithoutText } from './describe-without-text.ts';
import type { AnsweredApproval } from './history.ts';
import { shorten } from './shorten.ts';
import { type PublicTool, tools, type UserTool } from './tool-definitions.ts';

/** The timeout of a tool. It leaves the model time to report the failure. */
const toolTimeoutMilliseconds = 20_000;

/** The user whom the tools act for, the request, and the approvals that the user has just answered. */
export type ToolUser = {
  api: OwnApi;
  principal: Principal | undefined;
  apiKey: string | undefined;
  requestId: string;
  approvals: AnsweredApproval[];
};

/** The tools of one turn for the AI SDK, and which of them need approval. */
export type ChatTools = {
  tools: Record<string, Tool>;
  toolApproval: Record<string, 'user-approval'>;
  /** Returns true once a tool was refused because the user is suspended: the turn ends. */
  isOver(): boolean;
};

const isPublic = (tool: PublicTool | UserTool): tool is PublicTool => 'run' in tool;

/** Returns the tools that a caller may use: those for anyone, and those that the scopes of their key allow. */
export const allowedToolNames = (principal: Principal | undefined): ToolName[] =>
  (Object.keys(tools) as ToolName[]).filter((name) => {
    const tool = tools[name];
    return isPublic(tool) || (principal && tool.operations.every((name) => mayCall(principal, name)));
  });

const mayCall = (principal: Principal, name: string) => {
  const needed = operations[name]?.scopes;
  return needed === undefined || needed.some((scope) => hasScope(principal, scope));
};

export const buildTools = (user: ToolUser): ChatTools => {
  const names = allowedToolNames(user.principal);
  const withApproval = names.filter((name) => 'needsApproval' in tools[name]);
  let isOver = false;
  const onError = (error: unknown) => {
    isOver ||= error instanceof ApiError && error.code === 'user_suspended';
  };
  return {
    tools: Object.fromEntries(names.map((name) => [name, toTool(name, user, onError)])),
    toolApproval: Object.fromEntries(withApproval.map((name) => [name, 'user-approval'])),
    isOver: () => isOver,
  };
};

/** Describes the caller's key to the model. */
export const describeAccess = (principal: Principal | undefined): string => {
  if (!principal) {
    return 'The user sent no API key: you cannot read or change their data. When they want that, ask them to enter their key in the field for it, never in the conversation.';
  }
  return `The user sent an API key with these scopes: ${principal.scopes?.join(', ')}. You can read their data and propose changes within them; for anything else they need another key.`;
};

const toTool = (name: ToolName, user: ToolUser, onError: (error: unknown) => void): Tool => ({
  description: tools[name].description,
  inputSchema: jsonSchema(() => toJsonSchema(tools[name].input), {
    // The model learns of invalid input at once, before the user is asked to approve the call.
    validate: async (value) => {
      try {
        return { success: true, value: await checkInput(tools[name], value) };
      } catch (error) {
        return { success: false, error: explain(error as Error) };
      }
    },
  }),
  execute: async (input: unknown, { toolCallId }: { toolCallId: string }) => {
    try {
      return shorten(await run(tools[name], input, toolCallId, user));
    } catch (error) {
      onError(error);
      throw toModelError(error, name, user.requestId);
    }
  },
});

/** Returns the input without what says nothing, or throws the error that describes what is wrong with it. */
const checkInput = async (tool: PublicTool | UserTool, given: unknown): Promise<unknown> => {
  const { args: value } = readArguments(given, toJsonSchema(tool.input) as JsonSchema);
  const { error } = validate(tool.input, value);
  if (error) throw error;
  const { error: further } = validate(isPublic(tool) ? undefined : await tool.loadMoreInput?.(), value);
  if (further) throw further;
  return value;
};

const run = async (tool: PublicTool | UserTool, input: unknown, toolCallId: string, user: ToolUser) => {
  if (isPublic(tool)) return tool.run(input);
  const { api, principal, apiKey, approvals } = user;
  if (!principal || !apiKey) throw new Error('A tool that needs an API key was called without one.');
  const approval = approvals.find((approval) => approval.toolCallId === toolCallId);
  if (tool.needsApproval && !approval) throw new Error('A tool that needs approval was called without it.');
  // The approval's id makes the request idempotent: however often it is sent, the action runs once.
  const idempotencyKey = approval && `chat:${approval.approvalId}`;
  const args = { ...tool.toArguments(input), idempotencyKey };
  const { uid } = principal;
  const responses = tool.operations.map(async (name) =>
    requireSuccess(await callOperation(api, apiKey, { name, args, uid, timeoutMilliseconds: toolTimeoutMilliseconds })),
  );
  return tool.toResult(await Promise.all(responses));
};

/** Returns a schema with its records inline and without examples. */
const toJsonSchema = (schema: z.core.$ZodType) => {
  const metadata = {
    get: (of: z.core.$ZodType) => {
      const { id: _, examples: __, documentAs: ___, ...rest } = z.globalRegistry.get(of) ?? {};
      return rest;
    },
  } as unknown as typeof z.globalRegistry;
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    metadata,
  });
  return rest as JSONSchema7;
};

/** Returns the error of a failed tool for the model and the user. An error of the API is unchanged; any other loses its details. */
const toModelError = (error: unknown, name: ToolName, requestId: string): Error => {
  if (error instanceof ApiError && error.status < 500) return explain(error);
  log('error', { requestId, operation: 'buildChat', tool: name, cause: describeWithoutText(error) });
  return new Error(
    'needsApproval' in tools[name]
      ? 'This failed, but it may have been done. Check before you try it again.'
      : 'This failed. You can try it again.',
  );
};

/** Returns an error whose message lists all details. */
const explain = (error: Error): Error =>
  error instanceof ApiError && error.details?.length
    ? new Error(error.details.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; '))
    : error;
