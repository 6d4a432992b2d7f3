import * as z from 'zod/mini';
import { choiceField, describe, listField, textField } from './describe.ts';
import { formatWhole } from './format-whole.ts';
import { limits } from './limits.ts';
import { list } from './list.ts';
import { text } from './text.ts';

/** The tools of the build chat. Tools that change something ask for approval. No tool deletes anything. */
export const toolNames = [
  'searchDocumentation',
  'draftAgent',
  'checkNumbers',
  'listAgents',
  'getAgent',
  'listKnowledge',
  'searchKnowledge',
  'listCalls',
  'getCallFigures',
  'isNumberBlocked',
  'checkConsent',
  'listConsents',
  'createAgent',
  'updateAgent',
  'duplicateAgent',
  'addWebsite',
  'blockNumbers',
] as const;
export type ToolName = (typeof toolNames)[number];

const Id = text(1, limits.chatIdCharacters);

const Text = z
  .string()
  .check(z.maxLength(limits.chatTextUnits, { error: `must have at most ${formatWhole(limits.chatTextUnits)} units` }));

const TextPart = z.object({ type: z.literal('text'), text: Text });

/** The signature of a part, in the AI SDK's provider metadata, which its client returns with the part. */
const Signed = z.optional(z.object({ voiceAgentPlatform: z.optional(z.object({ signature: z.string() })) }));

const Approval = z.object({ id: Id, signature: z.optional(z.string()) });

const toolPart = {
  type: z.enum(toolNames.map((name) => `tool-${name}` as const)),
  toolCallId: Id,
  callProviderMetadata: Signed,
  resultProviderMetadata: Signed,
};

/** A tool call in the states of the AI SDK's client. The first two remain from an answer that was interrupted. */
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
  parts: list(TextPart, { min: 1, max: limits.chatParts }).check(
    z.refine((parts) => parts.some((part) => part.text.trim() !== ''), { error: 'must say something' }),
  ),
});

const AssistantMessage = z.object({
  id: Id,
  role: z.literal('assistant'),
  parts: list(
    z.discriminatedUnion('type', [
      TextPart,
      z.object({ type: z.literal('reasoning'), text: z.string() }),
      z.object({ type: z.literal('step-start') }),
      ToolPart,
    ]),
    // The AI SDK accepts a message of the assistant without parts. The model does not see it.
    { max: limits.chatParts },
  ),
});
export type AssistantMessage = z.infer<typeof AssistantMessage>;

/** A message of a conversation, in the form in which the AI SDK's own client sends it. */
export const ChatMessage = z.discriminatedUnion('role', [UserMessage, AssistantMessage]);
export type ChatMessage = z.infer<typeof ChatMessage>;

/** Returns the parts of a message's last step, at which an answer stopped. */
export const takeLastStep = (message: AssistantMessage): AssistantMessage['parts'] =>
  message.parts.slice(message.parts.findLastIndex((part) => part.type === 'step-start') + 1);

const isToBeAnswered = (messages: ChatMessage[]) => {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return true;
  return takeLastStep(last).some((part) => 'state' in part && part.state === 'approval-responded');
};

/** A message as a caller writes it. The AI SDK's client handles the other parts that a message can have. */
const DocumentedMessage = z.object({
  id: Id.check(describe('Id of the message, chosen by the caller.', 'msg-1')),
  role: choiceField(['user', 'assistant'], 'Author of the message.', 'user'),
  parts: listField(
    z.object({
      type: textField('Type of the part; `text` in messages of the user.', 'text'),
      text: z.optional(Text.check(describe('The text.', 'What can a voice agent of mine do?'))),
    }),
    'Parts of the message. A message of the user has at least one. Return the parts of the assistant’s messages unchanged.',
  ),
});

/** A conversation, ending with the message to answer. */
export const ChatRequest = z.object({
  id: Id.check(describe('Id of the conversation, chosen by the caller.', 'chat-1')),
  messages: list(ChatMessage, { min: 1, max: limits.chatMessages }).check(
    z.refine((messages) => messages.some(({ role }) => role === 'user'), { error: 'must hold a message of the user' }),
    z.refine(isToBeAnswered, { error: 'must end with a message of the user, or with an answered approval request' }),
    z.meta({
      description: 'The whole conversation, ending with the message to answer.',
      documentAs: z.array(DocumentedMessage).check(z.minLength(1), z.maxLength(limits.chatMessages)),
    }),
  ),
  userId: z.optional(
    z
      .nullable(text(0, limits.chatIdCharacters))
      .check(describe('Id of the visitor, for the log. It does not give access to anything.', 'visitor-7')),
  ),
});
export type ChatRequest = z.infer<typeof ChatRequest>;
