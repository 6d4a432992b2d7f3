import { jsonSchema, type Tool } from 'ai';
import * as z from 'zod/mini';
import type { ToolName } from '../domain/chat.ts';
import { ApiError } from '../domain/errors.ts';
import { validate } from '../domain/validation.ts';
import { hasScope } from '../http/authorize.ts';
import type { AnyEndpoint, Principal } from '../http/endpoint.ts';
import { parseInput } from '../http/parse-request.ts';
import { permissionsOf } from '../http/permissions.ts';
import { log } from '../log.ts';
import { wholeService } from '../service.ts';
import { idempotency } from '../store/idempotency.ts';
import { callEndpoint, type InnerRequest } from './call-endpoint.ts';
import { describeWithoutText } from './describe-without-text.ts';
import type { AnsweredApproval } from './history.ts';
import { shorten } from './shorten.ts';
import { Deadline, expired } from './stream/deadline.ts';
import { type PublicTool, tools, type UserTool } from './tool-definitions.ts';

/** A tool that takes longer fails, so that the model can still say so. */
const toolMilliseconds = 20_000;

/** Whom the tools act for, in which request, and the approvals that the user has just answered. */
export type ToolUser = {
  principal: Principal | undefined;
  apiKey: string | undefined;
  context: Omit<InnerRequest['from'], 'apiKey'>;
  approvals: AnsweredApproval[];
};

/** The tools of one turn for the AI SDK, and which of them need approval. */
export type ChatTools = { tools: Record<string, Tool>; toolApproval: Record<string, 'user-approval'> };

const isPublic = (tool: PublicTool | UserTool): tool is PublicTool => 'run' in tool;

/** The tools that a caller may use: those for anyone, and those that their key's scopes allow. */
export const toolNamesFor = (principal: Principal | undefined): ToolName[] =>
  (Object.keys(tools) as ToolName[]).filter((name) => {
    const tool = tools[name];
    return isPublic(tool) || (principal && tool.endpoints.every((endpoint) => mayCall(principal, endpoint)));
  });

const mayCall = (principal: Principal, { caller }: AnyEndpoint) =>
  caller.kind === 'key' && caller.scope !== undefined && hasScope(principal, caller.scope);

const calledEndpoints = Object.values(tools).flatMap((tool) => (isPublic(tool) ? [] : tool.endpoints));

/** What calls the endpoints of the tools. An approved call is performed once, whether or not its endpoint is idempotent. */
export const ownApi = wholeService(
  () => callEndpoint,
  [...calledEndpoints.flatMap(permissionsOf), ...idempotency.for('claim', 'keep', 'release').permissions],
);

export const toolsFor = (user: ToolUser): ChatTools => {
  const names = toolNamesFor(user.principal);
  const withApproval = names.filter((name) => 'needsApproval' in tools[name]);
  return {
    tools: Object.fromEntries(names.map((name) => [name, toTool(name, user)])),
    toolApproval: Object.fromEntries(withApproval.map((name) => [name, 'user-approval'])),
  };
};

/** The caller's key, described for the model. */
export const describeAccess = (principal: Principal | undefined): string => {
  if (!principal) {
    return 'The user sent no API key: you cannot read or change their data. When they want that, ask them to enter their key in the field for it, never in the conversation.';
  }
  if (!principal.scopes) return 'The user sent an API key: you can read their data, and propose changes.';
  return `The user sent an API key with only these scopes: ${principal.scopes.join(', ')}. For anything else they need another key.`;
};

const toTool = (name: ToolName, user: ToolUser): Tool => ({
  description: tools[name].description,
  inputSchema: jsonSchema(() => toJsonSchema(tools[name].input), {
    // The model learns of invalid input at once, before the user is asked to approve the call.
    validate: (value) => {
      try {
        return { success: true, value: checkInput(tools[name], value, user) };
      } catch (error) {
        return { success: false, error: explain(error as Error) };
      }
    },
  }),
  execute: async (input: unknown, { toolCallId }: { toolCallId: string }) => {
    try {
      const result = await new Deadline(toolMilliseconds).wait(run(tools[name], input, toolCallId, user));
      if (result === expired) throw new Error(`The tool took longer than ${toolMilliseconds} ms.`);
      return shorten(result);
    } catch (error) {
      throw toModelError(error, name, user.context.requestId);
    }
  },
});

/** Returns the input as it is, or throws what the tool or its endpoints would reject. */
const checkInput = (tool: PublicTool | UserTool, value: unknown, { principal }: ToolUser): unknown => {
  const { data, error } = validate(tool.input, value);
  if (error) throw error;
  if (!isPublic(tool) && principal) requestsOf(tool, data, principal);
  return value;
};

const run = async (tool: PublicTool | UserTool, input: unknown, toolCallId: string, user: ToolUser) => {
  if (isPublic(tool)) return tool.run(input);
  const { principal, apiKey, context, approvals } = user;
  if (!principal || !apiKey) throw new Error('A tool that needs an API key was called without one.');
  const approval = approvals.find((approval) => approval.toolCallId === toolCallId);
  if (tool.needsApproval && !approval) throw new Error('A tool that needs approval was called without it.');
  // The approval's id makes the request idempotent: however often it is sent, the action runs once.
  const idempotencyKey = approval && `chat:${approval.approvalId}`;
  const responses = requestsOf(tool, input, principal).map(({ endpoint, ...request }) =>
    callEndpoint(endpoint, { ...request, from: { apiKey, ...context }, idempotencyKey }),
  );
  return tool.toResult(await Promise.all(responses));
};

/** The requests of a call, checked as their endpoints check them. */
const requestsOf = (tool: UserTool, input: unknown, principal: Principal) =>
  tool.requests(input, principal.uid).map((request, index) => {
    const endpoint = tool.endpoints[index] as AnyEndpoint;
    const { params = {}, query = {}, body } = request;
    parseInput(endpoint, { params, query, body });
    return { ...request, endpoint };
  });

/** Inlines the records that the OpenAPI document refers to by name, and leaves out its examples. */
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
  return rest as Parameters<typeof jsonSchema>[0] & object;
};

/** What the model, and so the user, sees of a failed tool: the API's errors, and of any other error no detail. */
const toModelError = (error: unknown, name: ToolName, requestId: string): Error => {
  if (error instanceof ApiError && error.status < 500) return explain(error);
  log('error', { requestId, operation: 'buildChat', tool: name, cause: describeWithoutText(error) });
  return new Error(
    'needsApproval' in tools[name]
      ? 'This failed, but it may have been done. Check before you try it again.'
      : 'This failed. You can try it again.',
  );
};

/** An error whose message lists all its details. */
const explain = (error: Error): Error =>
  error instanceof ApiError && error.details?.length
    ? new Error(error.details.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; '))
    : error;
