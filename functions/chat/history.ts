import type { UIMessage } from 'ai';
import { type AssistantMessage, type ChatMessage, type ToolPart, takeLastStep } from '../domain/chat.ts';
import { invalidField } from '../domain/errors.ts';
import type { Signatures, ToolCall } from './signatures.ts';

/** A tool call whose approval request the user has just answered. */
export type AnsweredApproval = ToolCall & { approvalId: string };

/** A conversation as the model may see it, and the approvals that this turn starts with. */
export type History = { messages: UIMessage[]; approvals: AnsweredApproval[] };

/** The caller who sends the conversation, and the tools they may use. */
export type HistoryReader = { signatures: Signatures; uid: string | undefined; toolNames: string[] };

type UIPart = UIMessage['parts'][number];

/** Reads a conversation that came back. The model sees only what is rebuilt from signed parts. */
export const readHistory = (messages: ChatMessage[], reader: HistoryReader): History => {
  const approvals: AnsweredApproval[] = [];
  const read = messages.flatMap((message, index): UIMessage[] => {
    if (message.role === 'user') {
      return [{ id: message.id, role: 'user', parts: message.parts.filter(({ text }) => text !== '') }];
    }
    const pending = index === messages.length - 1 ? approvals : undefined;
    const parts = readParts(message, { ...reader, path: `messages.${index}.parts`, pending });
    return parts.some(({ type }) => type !== 'step-start') ? [{ id: message.id, role: 'assistant', parts }] : [];
  });
  for (const { parts } of read) {
    for (const [index, part] of parts.entries()) makeIdUnique(part, index, approvals);
  }
  // For the model, a conversation starts with the user, even if a page shows a greeting first.
  return { messages: read.slice(read.findIndex(({ role }) => role === 'user')), approvals };
};

/** Renames an older call with the id of an approved one: the approval is for the newer call only. */
const makeIdUnique = (part: UIPart, index: number, approvals: AnsweredApproval[]) => {
  if (!('toolCallId' in part) || part.state === 'approval-responded') return;
  if (approvals.some(({ toolCallId }) => toolCallId === part.toolCallId)) part.toolCallId += `_${index}`;
};

/** `pending` collects the calls to run or deny in this turn; older parts of the conversation have none. */
type PartReader = HistoryReader & { path: string; pending: AnsweredApproval[] | undefined };

const readParts = (message: AssistantMessage, reader: PartReader): UIPart[] => {
  const firstOfLastStep = message.parts.length - takeLastStep(message).length;
  return message.parts.flatMap((part, index): UIPart[] => {
    if (part.type === 'step-start') return [{ type: 'step-start' }];
    if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    // The model's reasoning is not used after its turn.
    if (part.type === 'reasoning') return [];
    const path = `${reader.path}.${index}`;
    const pending = index >= firstOfLastStep ? reader.pending : undefined;
    return readToolPart(part, { ...reader, path, pending });
  });
};

/** Returns a tool call as the model may see it: with its result, or nothing if the call was cut off. */
const readToolPart = (part: ToolPart, reader: PartReader): UIPart[] => {
  const { signatures, path, pending } = reader;
  if (part.state === 'input-streaming' || part.state === 'input-available') return [];
  const toolName = part.type.slice('tool-'.length);
  const call: ToolCall = { toolCallId: part.toolCallId, toolName, input: part.input };
  const base = { type: part.type, toolCallId: part.toolCallId, input: part.input };
  const failed = (errorText: string): UIPart[] => [
    { ...base, input: toObject(part.input), state: 'output-error', errorText },
  ];
  const signature = (metadata: ToolPart['callProviderMetadata']) => metadata?.voiceAgentPlatform?.signature;

  switch (part.state) {
    case 'output-available': {
      const { output } = part;
      if (!signatures.isOutcome(call, { output }, signature(part.resultProviderMetadata))) throw notIssued(path);
      return [{ ...base, state: 'output-available', output }];
    }
    case 'output-error': {
      const { errorText } = part;
      if (!signatures.isOutcome(call, { errorText }, signature(part.resultProviderMetadata))) throw notIssued(path);
      return failed(errorText);
    }
    case 'output-denied':
    case 'approval-requested':
      if (!signatures.isCall(call, signature(part.callProviderMetadata))) throw notIssued(path);
      if (!pending || part.state === 'output-denied') return failed(denials[part.state]);
      // The user answered another of several requests, and left this one open.
      addApproval({ ...call, approvalId: part.approval.id }, pending, path);
      return [{ ...base, state: 'approval-responded', approval: deny(part.approval.id, denials[part.state]) }];
    case 'approval-responded': {
      const { id, approved, reason, signature: given } = part.approval;
      // An answer from an earlier turn is only shown. An answer to act on must be this user's own.
      if (!pending) {
        if (!signatures.isCall(call, signature(part.callProviderMetadata))) throw notIssued(path);
        return failed(approved ? denials.unknown : denials['output-denied']);
      }
      const verdict = signatures.checkApproval(call, id, reader.uid, given);
      if (verdict === 'forged') throw notIssued(path);
      addApproval({ ...call, approvalId: id }, pending, path);
      if (verdict === 'expired') return [{ ...base, state: 'approval-responded', approval: deny(id, denials.expired) }];
      if (!reader.toolNames.includes(toolName)) {
        return [{ ...base, state: 'approval-responded', approval: deny(id, denials.notAllowed) }];
      }
      return [{ ...base, state: 'approval-responded', approval: { id, approved, ...(reason && { reason }) } }];
    }
  }
};

/** Adds an approval. Two calls with the same id are an error, because the answer could be for either. */
const addApproval = (approval: AnsweredApproval, pending: AnsweredApproval[], path: string) => {
  if (pending.some(({ toolCallId }) => toolCallId === approval.toolCallId)) {
    throw invalidField(path, 'repeats the id of another tool call');
  }
  pending.push(approval);
};

const deny = (id: string, reason: string) => ({ id, approved: false as const, reason });

/** The result that the model sees of a call that was not run, or whose result was lost. */
const denials = {
  'output-denied': 'The user did not approve this. Nothing was done.',
  'approval-requested': 'The user did not answer the approval request, which counts as no. Nothing was done.',
  expired: 'The approval has expired. Nothing was done; ask again.',
  notAllowed: 'The user’s API key does not allow this. Nothing was done.',
  unknown: 'The user approved this, but its result is unknown. Check before you propose it again.',
};

const notIssued = (path: string) =>
  invalidField(path, 'was not issued by this service in this conversation for this user, or was changed since');

/** Returns a call's input as an object. Providers accept nothing else, even for a call that failed because of its input. */
const toObject = (input: unknown) => (typeof input === 'object' && input !== null ? input : {});
