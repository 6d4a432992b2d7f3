import * as z from 'zod/mini';
import { describeWithoutText } from '../chat/describe-without-text.ts';
import { guardStream } from '../chat/guarded-stream.ts';
import { readHistory } from '../chat/history.ts';
import { Signatures } from '../chat/signatures.ts';
import { systemPrompt } from '../chat/system-prompt.ts';
import { accessOf, calledEndpoints, offeredTools } from '../chat/tools.ts';
import { Turn } from '../chat/turn.ts';
import { ChatRequest } from '../domain/chat.ts';
import { ApiError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { permissionsOf, streamingEndpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { log } from '../http/log.ts';
import { chatModel } from '../outside/bedrock.ts';
import { chatSigningSecret } from '../outside/secrets.ts';
import { chatUsage } from '../store/chat-usage.ts';

/** Answers a conversation as the AI SDK's stock client has it, with tools for whoever sends a key. */
export const buildChat = streamingEndpoint({
  name: 'buildChat',
  method: 'POST',
  path: '/chat/build',
  summary: 'Talk with the build assistant',
  description:
    'Streams the answer to a conversation in the UI message stream of the AI SDK, as server-sent events. The client sends the whole conversation each turn. With an API key the assistant can look into what its user has and, each time with the user’s approval, change it.',
  caller: { kind: 'anyone', key: 'optional' },
  may: [
    ...new Set([
      ...calledEndpoints.flatMap(permissionsOf),
      'dynamodb:GetItem' as const,
      'dynamodb:PutItem' as const,
      'dynamodb:UpdateItem' as const,
      'bedrock:InvokeModelWithResponseStream' as const,
    ]),
  ],
  sends: [...new Set(calledEndpoints.flatMap(({ sends = [] }) => sends))],
  secrets: ['chatSigning'],
  uses: { chatModel, chatSigningSecret, chatUsage },
  body: ChatRequest,
  bodyBytes: limits.chatBodyBytes,
  streams: true,
  response: z
    .string()
    .check(z.describe('Server-sent events: parts of the UI message stream, and `[DONE]` at the end.')),
  errors: {
    400: 'The conversation is not of the right form, or holds something that this service did not issue.',
    401: 'The key is unknown.',
    413: 'The conversation is too long.',
    429: 'This address has had too many turns in the last minute, or the day’s tokens are spent.',
  },

  async handle({ body, ...from }, { chatModel, chatSigningSecret, chatUsage }) {
    const { holder, address, requestId, receivedAt } = from;
    const signatures = new Signatures(await chatSigningSecret.read(), body.id);
    const approvals = new Map<string, string>();
    const offered = offeredTools({ from, approvalOf: (toolCallId) => approvals.get(toolCallId) });
    const history = readHistory(body.messages, { signatures, uid: holder.uid, offered: offered.tools });
    for (const { toolCallId, approvalId } of history.answered) approvals.set(toolCallId, approvalId);

    const wait = await chatUsage.countTurn(address);
    if (wait) throw tooManyTurns(wait.seconds);
    const instructions = systemPrompt(accessOf(holder));
    const spending = chatUsage.spending();
    const turn = new Turn({ model: chatModel, instructions, history, offered, signatures, uid: holder.uid, spending });
    await turn.prepare();

    const stream = await guardStream({
      receivedAt,
      start: (signal) => turn.start(signal),
      translate: (part) => turn.translate(part),
      async onEnd({ state, cause }) {
        await turn.settle().finally(() => {
          const { uid, keyId } = holder;
          log(state === 'failed' ? 'error' : 'info', {
            requestId,
            operation: 'buildChat',
            chatId: body.id,
            userId: body.userId,
            ...(uid && { uid, keyId }),
            state,
            ...turn.account,
            milliseconds: Math.round(performance.now() - receivedAt),
            ...(cause !== undefined && cause !== null && { cause: describeWithoutText(cause) }),
          });
        });
      },
    });
    const headers = {
      'content-type': 'text/event-stream',
      'x-vercel-ai-ui-message-stream': 'v1',
      'x-accel-buffering': 'no',
    };
    return { headers, body: stream };
  },
});

const tooManyTurns = (retryAfterSeconds: number) =>
  new ApiError('rate_limited', 'There were too many messages from this address in the last minute. Wait a little.', {
    retryAfterSeconds,
  });

export const handler = lambda(buildChat);
