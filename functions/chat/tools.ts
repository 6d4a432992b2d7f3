import { jsonSchema, type Tool } from 'ai';
import * as z from 'zod/mini';
import { addBlockedNumbers } from '../api/add-blocked-numbers.ts';
import { addWebsite } from '../api/add-website.ts';
import { checkBlockedNumber } from '../api/check-blocked-number.ts';
import { createAgent } from '../api/create-agent.ts';
import { duplicateAgent } from '../api/duplicate-agent.ts';
import { getAgent } from '../api/get-agent.ts';
import { listAgents } from '../api/list-agents.ts';
import { listCalls } from '../api/list-calls.ts';
import { listDocuments } from '../api/list-documents.ts';
import { listWebsites } from '../api/list-websites.ts';
import { updateAgent } from '../api/update-agent.ts';
import type { Agent } from '../domain/agents.ts';
import type { ToolName } from '../domain/chat.ts';
import type { Document } from '../domain/documents.ts';
import { ApiError } from '../domain/errors.ts';
import type { Website } from '../domain/websites.ts';
import { allows } from '../http/authenticate.ts';
import type { AnyEndpoint, Principal } from '../http/endpoint.ts';
import { check, readParts } from '../http/parse-request.ts';
import { log } from '../log.ts';
import { callEndpoint, type InnerRequest } from './call-endpoint.ts';
import { checkNumbers, NumbersToCheck } from './check-numbers.ts';
import { describeWithoutText } from './describe-without-text.ts';
import { documentation, Question } from './documentation.ts';
import { AgentDraft, draftAgent } from './draft-agent.ts';
import { shortened } from './shortened.ts';

/** A tool that takes no longer than this, or fails: the model can still say so. */
const toolSeconds = 20;

type Schema = z.core.$ZodType;

/** A tool for anyone. It reads nothing of anybody. */
type OpenTool = { description: string; input: Schema; run(input: unknown): unknown };

/** A tool that does what the holder of a key could do by HTTP, through the same endpoints. */
type KeyTool = {
  description: string;
  input: Schema;
  /** The endpoints it calls. It is offered to those whose key allows them all. */
  calls: AnyEndpoint[];
  /** What it asks of each of them, with the key's user. */
  requests(input: unknown, uid: string): ToolRequest[];
  /** What the model is told of their answers. */
  // biome-ignore lint/suspicious/noExplicitAny: each tool knows what its own endpoints answer
  tell(answers: any): unknown;
  /** Asks the user before it does anything. */
  approval?: true;
};
type ToolRequest = Pick<InnerRequest, 'params' | 'query' | 'body'>;

const openTool = <S extends Schema>(tool: {
  description: string;
  input: S;
  run(input: z.infer<S>): unknown;
}): OpenTool => tool as OpenTool;

type Sources = {
  websites?: z.infer<typeof Website>[];
  documents?: z.infer<typeof Document>[];
  nextCursor?: string;
};

/** A tool that calls one endpoint. */
const keyTool = <S extends Schema, Answer = unknown>(tool: {
  description: string;
  input: S;
  calls: AnyEndpoint;
  request(input: z.infer<S>, uid: string): ToolRequest;
  tell?(answer: Answer): unknown;
  approval?: true;
}): KeyTool => ({
  description: tool.description,
  input: tool.input,
  calls: [tool.calls],
  requests: (input, uid) => [tool.request(input as z.infer<S>, uid)],
  tell: ([answer]: [Answer]) => (tool.tell ? tool.tell(answer) : answer),
  ...(tool.approval && { approval: true }),
});

const agentId = z.string().check(z.describe('The agent’s id, such as agent_01…'));
const limit = z.optional(z.int().check(z.minimum(1), z.maximum(50), z.describe('How many at most; 20 unless given.')));
const cursor = z.optional(z.string().check(z.describe('`nextCursor` of the page before.')));
const configuration = z.looseObject({}).check(z.describe('The agent’s configuration, as draftAgent checked it.'));
const phoneNumber = z.optional(z.string().check(z.describe('The agent’s own phone number, in E.164 format.')));

const tools: Record<ToolName, OpenTool | KeyTool> = {
  searchDocumentation: openTool({
    description:
      'Searches the documentation of the HTTP API: operations with their fields, answers and refusals, records, error codes, limits.',
    input: Question,
    run: (question) => documentation.get().search(question),
  }),
  draftAgent: openTool({
    description:
      'Checks the draft of an agent and its configuration: what the API would refuse, and what would not work well. Stores nothing.',
    input: AgentDraft,
    run: draftAgent,
  }),
  checkNumbers: openTool({
    description: 'Checks phone numbers and gives their E.164 form, or says what is wrong with them.',
    input: NumbersToCheck,
    run: checkNumbers,
  }),
  listAgents: keyTool({
    description: 'Lists the user’s agents: ids, names and numbers.',
    input: z.object({ limit, cursor }),
    calls: listAgents,
    request: ({ limit = 20, cursor }, uid) => ({ query: { uid, limit: String(limit), ...(cursor && { cursor }) } }),
    tell: ({ agents, ...next }: { agents: Agent[] }) => ({
      agents: agents.map(({ configuration: _, uid: __, ...agent }) => agent),
      ...next,
    }),
  }),
  getAgent: keyTool({
    description: 'Reads one agent with its configuration.',
    input: z.object({ agentId }),
    calls: getAgent,
    request: (params) => ({ params }),
  }),
  listKnowledge: {
    description:
      'Lists what an agent knows: its websites and documents, whether they are active, and what became of reading them.',
    input: z.object({ agentId }),
    calls: [listWebsites, listDocuments],
    requests: (input, uid) => {
      const query = { uid, ...(input as { agentId: string }), content: 'false', limit: '50' };
      return [{ query }, { query }];
    },
    tell: ([{ websites, nextCursor: moreWebsites }, { documents, nextCursor: moreDocuments }]: [Sources, Sources]) => ({
      websites: websites?.map(({ id, name, url, active, status, error, pages, failedPages, lastCrawledAt }) => {
        return { id, name, url, active, status, error, pages, failedPages: failedPages.length, lastCrawledAt };
      }),
      documents: documents?.map(({ id, name, type, size, active, status, error }) => {
        return { id, name, type, size, active, status, error };
      }),
      ...((moreWebsites || moreDocuments) && { more: 'There are more, which are not listed here.' }),
    }),
  },
  listCalls: keyTool({
    description:
      'Lists an agent’s calls with their outcomes, newest first; those with one phone number when it is given.',
    input: z.object({ agentId, phone: z.optional(z.string()), limit, cursor }),
    calls: listCalls,
    request: ({ agentId, phone, limit = 20, cursor }) => ({
      params: { agentId },
      query: { limit: String(limit), ...(phone && { phone }), ...(cursor && { cursor }) },
    }),
  }),
  isNumberBlocked: keyTool({
    description: 'Says whether a phone number is blocked for an agent, and why.',
    input: z.object({ agentId, number: z.string() }),
    calls: checkBlockedNumber,
    request: (query, uid) => ({ query: { uid, ...query } }),
  }),
  createAgent: keyTool({
    description: 'Creates an agent.',
    input: z.object({ name: z.string(), configuration: z.optional(configuration), phoneNumber }),
    calls: createAgent,
    request: (input, uid) => ({ body: { uid, ...input } }),
    approval: true,
  }),
  updateAgent: keyTool({
    description:
      'Changes an agent. The configuration is merged by top-level field, and null clears one; leave out what is to stay.',
    input: z.object({
      agentId,
      name: z.optional(z.string()),
      configuration: z.optional(configuration),
      phoneNumber: z.optional(z.nullable(z.string())),
    }),
    calls: updateAgent,
    request: ({ agentId, ...body }) => ({ params: { agentId }, body }),
    approval: true,
  }),
  duplicateAgent: keyTool({
    description: 'Copies an agent with its configuration, knowledge and block list, under a new name if one is given.',
    input: z.object({ agentId, name: z.optional(z.string()) }),
    calls: duplicateAgent,
    request: (input, uid) => ({ body: { uid, ...input } }),
    approval: true,
  }),
  addWebsite: keyTool({
    description:
      'Adds a website to what an agent knows. It is read in the background; listKnowledge tells when it is ready.',
    input: z.object({
      agentId,
      url: z.string().check(z.describe('The page to begin with.')),
      name: z.optional(z.string()),
      limit: z.optional(z.int().check(z.minimum(1), z.describe('How many pages to read, at most 10; 5 unless given.'))),
      maxDepth: z.optional(
        z.int().check(z.minimum(1), z.describe('How many links away from the first page, at most 10; 1 unless given.')),
      ),
      includePaths: z.optional(
        z.array(z.string()).check(z.describe('Regular expressions; only paths that match are read.')),
      ),
      excludePaths: z.optional(
        z.array(z.string()).check(z.describe('Regular expressions; paths that match are not read.')),
      ),
    }),
    calls: addWebsite,
    request: (input, uid) => ({ body: { uid, ...input } }),
    approval: true,
  }),
  blockNumbers: keyTool({
    description: 'Blocks phone numbers for an agent, for good or until a time. A bad number fails alone.',
    input: z.object({
      agentId,
      numbers: z.array(z.string()).check(z.minLength(1), z.maxLength(200)),
      reason: z.optional(z.string()),
      expiresAt: z.optional(z.string().check(z.describe('An ISO 8601 date-time with its offset.'))),
    }),
    calls: addBlockedNumbers,
    request: (input, uid) => ({ body: { uid, ...input } }),
    approval: true,
  }),
};

/** Every endpoint that a tool can call: what it may, the chat may. */
export const calledEndpoints: AnyEndpoint[] = [
  ...new Set(Object.values(tools).flatMap((tool) => ('calls' in tool ? tool.calls : []))),
];

/** For whom the tools act, and what an approved call was approved under. */
export type ToolUser = {
  from: InnerRequest['from'];
  approvalOf(toolCallId: string): string | undefined;
};

/** The tools offered to one caller, for the AI SDK, and which of them ask for approval. */
export type OfferedTools = { tools: Record<string, Tool>; approvals: Record<string, 'user-approval'> };

/** Those for anyone, and those that the caller's key allows. */
export const offeredTools = (user: ToolUser): OfferedTools => {
  const { principal } = user.from;
  const offered = Object.entries(tools).filter(([, tool]) => !('calls' in tool) || maySee(tool, principal));
  return {
    tools: Object.fromEntries(offered.map(([name, tool]) => [name, toolOf(name, tool, user)])),
    approvals: Object.fromEntries(
      offered.flatMap(([name, tool]) => ('approval' in tool ? [[name, 'user-approval' as const]] : [])),
    ),
  };
};

/** What the model is told of the caller's key. */
export const accessOf = ({ uid, scopes }: Principal): string => {
  if (uid === '') {
    return 'The user sent no API key: you cannot see or change anything of theirs. When they want that, ask them to enter their key in the field for it, never in the conversation.';
  }
  if (!scopes) return 'The user sent an API key: you can see what is theirs, and propose changes.';
  return `The user sent an API key for these scopes alone: ${scopes.join(', ')}. For anything else they need another key.`;
};

const maySee = (tool: KeyTool, principal: Principal) =>
  principal.uid !== '' && tool.calls.every(({ caller }) => caller.kind === 'key' && allows(principal, caller.scope));

const toolOf = (name: string, tool: OpenTool | KeyTool, user: ToolUser): Tool => ({
  description: tool.description,
  inputSchema: jsonSchema(() => jsonSchemaOf(tool.input), {
    // What its endpoints would refuse is told to the model at once, before a user is asked to approve it.
    validate: (value) => {
      const { data, refusal } = check(tool.input, value);
      if (refusal) return { success: false, error: explained(refusal) };
      try {
        if ('calls' in tool) formsOf(tool, data, user);
        return { success: true, value };
      } catch (error) {
        return { success: false, error: explained(error as Error) };
      }
    },
  }),
  execute: async (input: unknown, { toolCallId }: { toolCallId: string }) => {
    try {
      return shortened(await within(toolSeconds, run(tool, input, toolCallId, user)));
    } catch (error) {
      throw told(error, name, tool, user.from.requestId);
    }
  },
});

const run = async (tool: OpenTool | KeyTool, input: unknown, toolCallId: string, user: ToolUser): Promise<unknown> => {
  if (!('calls' in tool)) return tool.run(input);
  const approvalId = user.approvalOf(toolCallId);
  if (tool.approval && approvalId === undefined) throw new Error('A tool that asks for approval was called without.');
  const answers = formsOf(tool, input, user).map(({ endpoint, ...request }) =>
    callEndpoint(endpoint, {
      ...request,
      from: user.from,
      // However often an approval comes back, what was approved is done once.
      ...(approvalId !== undefined && { idempotencyKey: `chat:${approvalId}` }),
    }),
  );
  return tool.tell(await Promise.all(answers));
};

/** What a call of a tool asks of its endpoints; refused as they would refuse it. */
const formsOf = (tool: KeyTool, input: unknown, user: ToolUser) =>
  tool.requests(input, user.from.principal.uid).map((request, index) => {
    const endpoint = tool.calls[index] as AnyEndpoint;
    const { params = {}, query = {}, body } = request;
    readParts(endpoint, { params, query, body });
    return { ...request, endpoint };
  });

const jsonSchemaOf = (schema: Schema) => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
  return rest as Parameters<typeof jsonSchema>[0] & object;
};

/** What the model, and with it the user, is told of a tool that failed: our refusals, and of anything else nothing. */
const told = (error: unknown, name: string, tool: OpenTool | KeyTool, requestId: string): Error => {
  if (error instanceof ApiError && error.status < 500) return explained(error);
  log('error', { requestId, operation: 'buildChat', tool: name, cause: describeWithoutText(error) });
  return new Error(
    'approval' in tool
      ? 'This did not work just now. It may have been done all the same: look before it is tried again.'
      : 'This did not work just now. It can be tried again.',
  );
};

/** A refusal with all that it names. */
const explained = (error: Error): Error =>
  error instanceof ApiError && error.details?.length
    ? new Error(error.details.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; '))
    : error;

const within = async <T>(seconds: number, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The tool took longer than ${seconds} seconds.`)), seconds * 1000);
  });
  return Promise.race([work, tooLong]).finally(() => clearTimeout(timer));
};
