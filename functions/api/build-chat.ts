import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as z from 'zod/mini';
import { chatModel } from '../chat/bedrock.ts';
import { chatUsage } from '../chat/chat-usage.ts';
import { describeWithoutText } from '../chat/describe-without-text.ts';
import { readHistory } from '../chat/history.ts';
import { Signatures } from '../chat/signatures.ts';
import type { StreamEnd } from '../chat/stream/end-always.ts';
import { streamAnswer } from '../chat/stream/stream-answer.ts';
import { systemPrompt } from '../chat/system-prompt.ts';
import { TokenMeter } from '../chat/token-meter.ts';
import { allowedToolNames, buildTools, describeAccess } from '../chat/tools.ts';
import { Turn } from '../chat/turn.ts';
import { type KeyOwner, ownApiOfChat } from '../clients/own-api.ts';
import { chatSigningSecret } from '../clients/secrets.ts';
import { ChatRequest } from '../domain/chat.ts';
import { textField } from '../domain/describe.ts';
import { ApiError, insufficientPermissions, missingApiKey } from '../domain/errors.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { parseJsonOfDoubles } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { validate } from '../domain/validation.ts';
import { environment } from '../environment.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambdaWithoutKey } from '../http/lambda.ts';
import { parseJsonBody } from '../http/request-body.ts';
import { log } from '../log.ts';

/** Answers a conversation of the AI SDK's own client, with tools that act for the caller's key. */
export const buildChat = endpoint({
  name: 'buildChat',
  method: 'POST',
  path: '/chat/build',
  memoryMegabytes: 1024,
  measuredAs: () => ({ class: 'chat' }),
  summary: 'Talk with the build assistant',
  description: `Streams the answer to a conversation as the AI SDK’s UI message stream. The SDK’s \`useChat\` works as a client without changes; use \`lastAssistantMessageIsCompleteWithApprovalResponses\` to send approvals. Each request sends the whole conversation, in at most ${formatLimit('chatBodyBytes')}; the assistant’s messages must come back unchanged.\n\nWithout a key the assistant searches the documentation, drafts agents and checks phone numbers. With a key (\`X-Authorization\`) it also reads the user’s data, within the key’s scopes, and changes them when the user approves.\n\nWithout a key, one address gets at most a twentieth of the day’s tokens, and all callers together at most half. With a key, one user gets at most a quarter, unless the operator sets another share.`,
  caller: { kind: 'anyone', key: 'optional' },
  services: { chatModel, chatSigningSecret, chatUsage: chatUsage.for('countTurn', 'budget'), ownApi: ownApiOfChat },
  body: z.custom<APIGatewayProxyEventV2>().check(z.meta({ documentAs: ChatRequest })),
  response: textField(
    'Server-sent events: chunks of the AI SDK’s UI message stream, always followed by `[DONE]`. A failure after the first content is a chunk of the type `error`.',
    'data: {"type":"start"}\n\ndata: {"type":"text-start","id":"0"}\n\ndata: {"type":"text-delta","id":"0","delta":"Hello."}\n\ndata: {"type":"text-end","id":"0"}\n\ndata: {"type":"finish","finishReason":"stop"}\n\ndata: [DONE]\n\n',
  ),
  errors: ['chat_budget_exhausted', 'chat_failed'],
  errorDescriptions: {
    400: 'The conversation is invalid, or has content that this service did not issue.',
    401: 'The API key that was sent is invalid.',
    413: `The conversation is larger than ${formatLimit('chatBodyBytes')}.`,
    429: 'Too many requests from this address in the last minute, or the day’s tokens are used up.',
  },

  // The handler parses the body, once the turn is counted.
  raw: { readBody: (event) => event, responds: 'stream' },

  async handle(
    { body: event, apiKey, address, requestId, receivedAt },
    { chatModel, chatSigningSecret, chatUsage, ownApi },
  ) {
    if (apiKey === undefined && environment.chatAccess === 'key') throw missingApiKey();
    let turnFacts: TurnFacts = { requestId, receivedAt };
    try {
      // Invalid requests also count.
      const retryAfter = await chatUsage.countTurn(address);
      if (retryAfter) throw tooManyTurns(retryAfter.seconds);
      const principal = apiKey === undefined ? undefined : await ownApi.findKeyOwner(apiKey);
      // A key that administers users reads and writes nothing of theirs.
      if (principal?.scopes.every((scope) => scope === 'users')) throw insufficientPermissions();
      const { id: chatId, messages, userId } = parseConversation(event);
      turnFacts = { ...turnFacts, principal, chatId, userId };

      const signatures = new Signatures(await chatSigningSecret.read(), chatId);
      const toolNames = allowedToolNames(principal);
      const history = readHistory(messages, { signatures, uid: principal?.uid, toolNames });
      const tools = buildTools({ api: ownApi, principal, apiKey, requestId, approvals: history.approvals });

      const instructions = systemPrompt(describeAccess(principal));
      const meter = new TokenMeter(chatUsage.budget(principal ? { uid: principal.uid } : { address }));
      await meter.reserve(instructions, history.messages);
      const turn = new Turn({ model: chatModel, instructions, history, tools, signatures, uid: principal?.uid, meter });

      const stream = await streamAnswer({
        receivedAt,
        start: (signal) => turn.start(signal),
        toChunk: (part) => turn.toChunk(part),
        onEnd: (end) => meter.settle().finally(() => logTurn(turnFacts, end, turn.usage)),
      });
      return { headers: streamHeaders, body: stream };
    } catch (cause) {
      // `onEnd` logs failures after the turn has started; they arrive here as an `ApiError`.
      if (!(cause instanceof ApiError)) logTurn(turnFacts, { state: 'failed', cause });
      throw cause;
    }
  },
});

const parseConversation = (event: APIGatewayProxyEventV2): ChatRequest => {
  // A browser, too, has read the numbers as doubles before it sends them back.
  const body = parseJsonBody(event, limits.chatBodyBytes, undefined, parseJsonOfDoubles);
  const { data, error } = validate(ChatRequest, body);
  if (error) throw error;
  return data;
};

const streamHeaders = {
  'content-type': 'text/event-stream',
  'x-vercel-ai-ui-message-stream': 'v1',
  'x-accel-buffering': 'no',
};

/** The facts about a turn. Those of the conversation are known once it is read. */
type TurnFacts = {
  requestId: string;
  receivedAt: number;
  chatId?: string;
  userId?: string | null;
  principal?: KeyOwner;
};

/** Logs a turn's end. Alarms match `operation`, `state` and `code`. */
const logTurn = ({ principal, receivedAt, ...facts }: TurnFacts, { state, cause }: StreamEnd, usage: object = {}) =>
  log(state === 'failed' ? 'error' : 'info', {
    operation: 'buildChat',
    ...facts,
    uid: principal?.uid,
    keyId: principal?.keyId,
    state,
    code: cause instanceof ApiError ? cause.code : undefined,
    ...usage,
    milliseconds: Math.round(performance.now() - receivedAt),
    ...(cause !== undefined && cause !== null && { cause: describeWithoutText(cause) }),
  });

const tooManyTurns = (retryAfterSeconds: number) =>
  new ApiError('rate_limited', 'Too many messages from this address in the last minute. Try again in a moment.', {
    retryAfterSeconds,
  });

export const handler = lambdaWithoutKey(buildChat);
