import * as z from 'zod/mini';
import { describe } from './describe.ts';
import { limits } from './limits.ts';
import { text } from './text.ts';

/** The tools of the build chat. What asks for approval changes something; nothing is ever deleted. */
export const toolNames = [
  'searchDocumentation',
  'draftAgent',
  'checkNumbers',
  'listAgents',
  'getAgent',
  'listKnowledge',
  'searchKnowledge',
  'listCalls',
  'isNumberBlocked',
  'createAgent',
  'updateAgent',
  'duplicateAgent',
  'addWebsite',
  'blockNumbers',
] as const;
export type ToolName = (typeof toolNames)[number];

const Id = text(1, limits.chatIdCharacters);

const Text = z.string().check(
  z.maxLength(limits.chatTextUnits, {
    error: `must have at most ${limits.chatTextUnits.toLocaleString('en')} units`,
  }),
);

const TextPart = z.object({ type: z.literal('text'), text: Text });

/** What we put among the AI SDK's provider metadata, which its client hands back with the part it belongs to. */
const Signed = z.optional(z.object({ voiceAgentPlatform: z.optional(z.object({ signature: z.string() })) }));

const Approval = z.object({ id: Id, signature: z.optional(z.string()) });

const toolPart = {
  type: z.enum(toolNames.map((name) => `tool-${name}` as const)),
  toolCallId: Id,
  callProviderMetadata: Signed,
  resultProviderMetadata: Signed,
};

/** A tool call in the states that the AI SDK's client knows. The first two are remains of an answer that was cut off. */
const ToolPart = z.discriminatedUnion('state', [
  z.object({ ...toolPart, state: z.literal('input-streaming') }),
  z.object({ ...toolPart, state: z.literal('input-available'), input: z.unknown() }),
  z.object({ ...toolPart, state: z.literal('approval-requested'), input: z.unknown(), approval: Approval }),
  z.object({
    ...toolPart,
    state: z.literal('approval-responded'),
    input: z.unknown(),
    approval: z.extend(Approval, { approved: z.boolean(), reason: z.optional(Text) }),
  }),
  z.object({ ...toolPart, state: z.literal('output-denied'), input: z.unknown() }),
  z.object({ ...toolPart, state: z.literal('output-available'), input: z.unknown(), output: z.unknown() }),
  z.object({ ...toolPart, state: z.literal('output-error'), input: z.unknown(), errorText: z.string() }),
]);
export type ToolPart = z.infer<typeof ToolPart>;

const UserMessage = z.object({
  id: Id,
  role: z.literal('user'),
  parts: z.array(TextPart).check(
    z.minLength(1),
    z.refine((parts) => parts.some((part) => part.text.trim() !== ''), { error: 'must say something' }),
  ),
});

const AssistantMessage = z.object({
  id: Id,
  role: z.literal('assistant'),
  parts: z
    .array(
      z.discriminatedUnion('type', [
        TextPart,
        z.object({ type: z.literal('reasoning'), text: z.string() }),
        z.object({ type: z.literal('step-start') }),
        ToolPart,
      ]),
    )
    .check(z.minLength(1)),
});
export type AssistantMessage = z.infer<typeof AssistantMessage>;

/** A message of a conversation (contract 2.8), in the shape in which the AI SDK's own client sends it back. */
export const ChatMessage = z.discriminatedUnion('role', [UserMessage, AssistantMessage]);
export type ChatMessage = z.infer<typeof ChatMessage>;

/** The parts after a message's last step began: where an answer stopped. */
export const lastStepOf = (message: AssistantMessage): AssistantMessage['parts'] =>
  message.parts.slice(message.parts.findLastIndex((part) => part.type === 'step-start') + 1);

const isToBeAnswered = (messages: ChatMessage[]) => {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return true;
  return lastStepOf(last).some((part) => 'state' in part && part.state === 'approval-responded');
};

/** A message as a caller writes it; the other parts that one may hold are for the AI SDK's client to handle. */
const DocumentedMessage = z.object({
  id: Id.check(describe('The message’s id, chosen by the caller.', 'msg-1')),
  role: z.enum(['user', 'assistant']).check(describe('Who said it.', 'user')),
  parts: z
    .array(
      z.object({
        type: z.string().check(describe('What the part is. Of a user’s, `text`.', 'text')),
        text: z.optional(Text.check(describe('What was said.', 'What can a voice agent of mine do?'))),
      }),
    )
    .check(z.minLength(1), z.describe('What it consists of. Parts of the assistant’s are sent back as they came.')),
});

/** A conversation, with the message that is to be answered at its end. */
export const ChatRequest = z.object({
  id: Id.check(describe('The conversation’s id, chosen by the caller.', 'chat-1')),
  messages: z.array(ChatMessage).check(
    z.minLength(1),
    z.maxLength(limits.chatMessages),
    z.refine((messages) => messages.some(({ role }) => role === 'user'), { error: 'must hold a message of the user' }),
    z.refine(isToBeAnswered, { error: 'must end with a message of the user, or with an answered approval request' }),
    z.meta({
      description: 'The whole conversation so far, ending with what is to be answered.',
      documentAs: z.array(DocumentedMessage).check(z.minLength(1), z.maxLength(limits.chatMessages)),
    }),
  ),
  userId: z.optional(
    text(0, limits.chatIdCharacters).check(
      describe('Who asks, for the service’s log alone. It gives access to nothing.', 'visitor-7'),
    ),
  ),
});
export type ChatRequest = z.infer<typeof ChatRequest>;
