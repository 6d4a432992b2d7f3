import type { UIMessage } from 'ai';
import { type AssistantMessage, type ChatMessage, lastStepOf, type ToolPart } from '../domain/chat.ts';
import { invalidField } from '../domain/errors.ts';
import type { Signatures, ToolCall } from './signatures.ts';

/** A call for which the user has just answered the request for approval. */
export type AnsweredCall = ToolCall & { approvalId: string };

/** A conversation that may be shown to the model, and the calls in it that wait to be done or refused. */
export type History = { messages: UIMessage[]; answered: AnsweredCall[] };

/** To whom the conversation belongs now, and what they are offered. */
export type HistoryReader = { signatures: Signatures; uid: string; offered: object };

type UIPart = UIMessage['parts'][number];

/**
 * Reads a conversation that came back from the client. Whatever in it claims to be this service's must bear its
 * signature; what the model is shown is rebuilt from that alone, without metadata, and every call has a result.
 */
export const readHistory = (messages: ChatMessage[], reader: HistoryReader): History => {
  const answered: AnsweredCall[] = [];
  const read = messages.flatMap((message, index): UIMessage[] => {
    if (message.role === 'user') {
      return [{ id: message.id, role: 'user', parts: message.parts.filter(({ text }) => text !== '') }];
    }
    const live = index === messages.length - 1 ? answered : undefined;
    const parts = partsOf(message, { ...reader, path: `messages.${index}.parts`, live });
    return parts.some(({ type }) => type !== 'step-start') ? [{ id: message.id, role: 'assistant', parts }] : [];
  });
  for (const { parts } of read) {
    for (const [index, part] of parts.entries()) setApart(part, index, answered);
  }
  // A conversation begins with its user for the model, whatever greeting a page shows before that.
  return { messages: read.slice(read.findIndex(({ role }) => role === 'user')), answered };
};

/** An older call that bears the id of one that was just approved is given another: the approval is for the newer one alone. */
const setApart = (part: UIPart, index: number, answered: AnsweredCall[]) => {
  if (!('toolCallId' in part) || part.state === 'approval-responded') return;
  if (answered.some(({ toolCallId }) => toolCallId === part.toolCallId)) part.toolCallId += `_${index}`;
};

type PartReader = HistoryReader & { path: string; live: AnsweredCall[] | undefined };

const partsOf = (message: AssistantMessage, reader: PartReader): UIPart[] => {
  const firstOfLastStep = message.parts.length - lastStepOf(message).length;
  return message.parts.flatMap((part, index): UIPart[] => {
    if (part.type === 'step-start') return [{ type: 'step-start' }];
    if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    // Nothing is done with the model's reasoning once its turn is over.
    if (part.type === 'reasoning') return [];
    const path = `${reader.path}.${index}`;
    const live = index >= firstOfLastStep ? reader.live : undefined;
    return toolPartOf(part, { ...reader, path, live });
  });
};

/** A tool call as the model is to see it: not at all when it was cut off, otherwise with what became of it. */
const toolPartOf = (part: ToolPart, reader: PartReader): UIPart[] => {
  const { signatures, path, live } = reader;
  if (part.state === 'input-streaming' || part.state === 'input-available') return [];
  const toolName = part.type.slice('tool-'.length);
  const call: ToolCall = { toolCallId: part.toolCallId, toolName, input: part.input };
  const seen = { type: part.type, toolCallId: part.toolCallId, input: part.input };
  const failed = (errorText: string): UIPart[] => [
    { ...seen, input: objectOf(part.input), state: 'output-error', errorText },
  ];
  const signature = (metadata: ToolPart['callProviderMetadata']) => metadata?.voiceAgentPlatform?.signature;

  switch (part.state) {
    case 'output-available': {
      const { output } = part;
      if (!signatures.isOutcome(call, { output }, signature(part.resultProviderMetadata))) throw notOurs(path);
      return [{ ...seen, state: 'output-available', output }];
    }
    case 'output-error': {
      const { errorText } = part;
      if (!signatures.isOutcome(call, { errorText }, signature(part.resultProviderMetadata))) throw notOurs(path);
      return failed(errorText);
    }
    case 'output-denied':
    case 'approval-requested':
      if (!signatures.isCall(call, signature(part.callProviderMetadata))) throw notOurs(path);
      if (!live || part.state === 'output-denied') return failed(refusals[part.state]);
      // One of several requests that the user left unanswered while answering another.
      admit({ ...call, approvalId: part.approval.id }, live, path);
      return [{ ...seen, state: 'approval-responded', approval: denied(part.approval.id, refusals[part.state]) }];
    case 'approval-responded': {
      const { id, approved, reason, signature: given } = part.approval;
      // An answer that is long past stands beside the call; one that is to be acted on must be this user's own.
      if (!live) {
        if (!signatures.isCall(call, signature(part.callProviderMetadata))) throw notOurs(path);
        return failed(approved ? refusals.lost : refusals['output-denied']);
      }
      const verdict = signatures.checkApproval(call, id, reader.uid, given);
      if (verdict === 'forged') throw notOurs(path);
      admit({ ...call, approvalId: id }, live, path);
      if (verdict === 'expired')
        return [{ ...seen, state: 'approval-responded', approval: denied(id, refusals.expired) }];
      if (!Object.hasOwn(reader.offered, toolName)) {
        return [{ ...seen, state: 'approval-responded', approval: denied(id, refusals.notOffered) }];
      }
      return [{ ...seen, state: 'approval-responded', approval: { id, approved, ...(reason && { reason }) } }];
    }
  }
};

/** Which of two calls of one id an answer is for could not be told. */
const admit = (call: AnsweredCall, live: AnsweredCall[], path: string) => {
  if (live.some(({ toolCallId }) => toolCallId === call.toolCallId)) {
    throw invalidField(path, 'repeats the id of another tool call');
  }
  live.push(call);
};

const denied = (id: string, reason: string) => ({ id, approved: false as const, reason });

/** What the model is told of a call that came to nothing. */
const refusals = {
  'output-denied': 'The user did not approve this. Nothing was done.',
  'approval-requested': 'The user did not answer the request for approval, which counts as no. Nothing was done.',
  expired: 'The approval came too late. Nothing was done; ask again.',
  notOffered: 'The user’s API key does not allow this. Nothing was done.',
  lost: 'The user approved this, but it is not known whether it was done. Look before you propose it again.',
};

const notOurs = (path: string) =>
  invalidField(path, 'was not issued by this service in this conversation for this user, or was changed since');

/** Providers take objects alone as a call’s input, also of a call that failed for its input. */
const objectOf = (input: unknown) => (typeof input === 'object' && input !== null ? input : {});
