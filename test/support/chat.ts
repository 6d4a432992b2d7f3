import { randomBytes } from 'node:crypto';
import {
  AbstractChat,
  type ChatInit,
  type ChatState,
  type ChatStatus,
  DefaultChatTransport,
  type LanguageModel,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from 'ai';
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import type { Context } from 'aws-lambda';
import { expect, vi } from 'vitest';
import { buildChat } from '../../functions/api/build-chat.ts';
import type { ChatUsage } from '../../functions/chat/chat-usage.ts';
import type { ApiHandler, ApiResult } from '../../functions/http/handler-types.ts';
import { lambda } from '../../functions/http/lambda.ts';
import { makeEvent } from './events.ts';
import { target, unique, useTargetInThisProcess } from './world.ts';

export type ModelPart =
  Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer P> ? P : never;

const usage = {
  inputTokens: { total: 100, noCache: 100, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 20, text: 20, reasoning: undefined },
};

/** The parts of a model call that answers with texts. */
export const says = (...texts: string[]): ModelPart[] => [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '0' },
  ...texts.map((delta) => ({ type: 'text-delta' as const, id: '0', delta })),
  { type: 'text-end', id: '0' },
  { type: 'finish', finishReason: { unified: 'stop', raw: 'end_turn' }, usage },
];

export const callsTool = (toolName: string, input: unknown, toolCallId = `call-${toolName}`): ModelPart[] => {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'tool-input-start', id: toolCallId, toolName },
    { type: 'tool-input-delta', id: toolCallId, delta: text },
    { type: 'tool-input-end', id: toolCallId },
    { type: 'tool-call', toolCallId, toolName, input: text },
    { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'tool_use' }, usage },
  ];
};

/** A model that answers each call with the next of these responses, and repeats the last one. */
export const model = (...calls: ModelPart[][]) => {
  let made = 0;
  return new MockLanguageModelV4({
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: calls[Math.min(made++, calls.length - 1)] as ModelPart[],
        initialDelayInMs: null,
        chunkDelayInMs: null,
      }),
    }),
  });
};

/** The chat with a model of the test, and with its own usage limits and API address, if given. */
export const makeHandler = (chatModel: LanguageModel, usage?: ChatUsage, apiUrl?: string): ApiHandler => {
  useTargetInThisProcess();
  process.env.API_URL = apiUrl ?? target.baseUrl;
  process.env.CHAT_SIGNING_SECRET ??= randomBytes(32).toString('hex');
  const counted = usage && { chatUsage: { get: () => usage } };
  const services = { ...buildChat.services, chatModel: { get: () => chatModel }, ...counted };
  return lambda({ ...buildChat, services });
};

export const chatEvent = (
  body: unknown,
  { apiKey, address = anyAddress() }: { apiKey?: string; address?: string } = {},
) => makeEvent(buildChat, { apiKey, body }, address);

export const anyAddress = () => `10.${[...randomBytes(3)].join('.')}`;

export const userSays = (text: string, id = unique('message')) => ({
  id,
  role: 'user' as const,
  parts: [{ type: 'text' as const, text }],
});

export type TalkOptions = {
  messages?: unknown;
  id?: string;
  apiKey?: string;
  address?: string;
  body?: object;
  usage?: ChatUsage;
  apiUrl?: string;
};

/** One turn; resolves when the answer is complete. */
export const talk = async (chatModel: LanguageModel, options: TalkOptions = {}) => {
  const { id = 'chat-1', messages = [userSays('Hello')], body, usage, apiUrl, ...caller } = options;
  const answer = await makeHandler(
    chatModel,
    usage,
    apiUrl,
  )(chatEvent({ id, messages, ...body }, caller), {} as Context);
  return read(answer);
};

const read = (answer: ApiResult) => {
  const text = answer.body ?? '';
  const isJson = String(answer.headers?.['content-type']).startsWith('application/json');
  return {
    status: answer.statusCode,
    headers: answer.headers ?? {},
    text,
    body: isJson ? JSON.parse(text) : undefined,
    chunks: isJson ? [] : parseChunks(text),
  };
};

/** The chunks in a stream's text, without `[DONE]` and comments. */
export const parseChunks = (text: string): UIMessageChunk[] =>
  text
    .split('\n\n')
    .filter((event) => event.startsWith('data: ') && event !== 'data: [DONE]')
    .map((event) => JSON.parse(event.slice('data: '.length)));

/** Returns the events of a stream's text, one a line. In the text, an empty line follows each. */
export const formLines = (text: string): string => {
  expect(text).toMatch(/^(.+\n\n)+$/);
  return text.replaceAll('\n\n', '\n');
};

const chunkSchema = uiMessageChunkSchema();

/** Returns the faults that a strict client of the UI message stream would find in a stream's text. */
export const protocolErrors = async (text: string): Promise<string[]> => {
  const errors: string[] = [];
  const openTexts = new Set<string>();
  if (!text.endsWith('data: [DONE]\n\n')) errors.push('does not end in [DONE]');
  for (const chunk of parseChunks(text)) {
    const result = await chunkSchema.validate?.(chunk);
    if (!result?.success) errors.push(`${JSON.stringify(chunk)} is not of the schema`);
    if (chunk.type === 'text-start') openTexts.add(chunk.id);
    if ((chunk.type === 'text-delta' || chunk.type === 'text-end') && !openTexts.has(chunk.id)) {
      errors.push(`text of part ${chunk.id}, which is not open`);
    }
    if (chunk.type === 'text-end') openTexts.delete(chunk.id);
  }
  if (openTexts.size > 0) errors.push('a text is left open');
  return errors;
};

/** The AI SDK's own client, keeping its messages in an array. */
export class Client extends AbstractChat<UIMessage> {
  constructor(
    init: Omit<ChatInit<UIMessage>, 'transport'> & {
      send: typeof fetch;
      api?: string;
      headers?: Record<string, string>;
    },
  ) {
    const { send, api = 'http://chat.test/chat/build', headers, ...rest } = init;
    const transport = new DefaultChatTransport<UIMessage>({ api, fetch: send, ...(headers && { headers }) });
    super({
      ...rest,
      transport,
      state: new ArrayState(),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
  }

  get last(): UIMessage {
    return this.messages.at(-1) as UIMessage;
  }

  /** Waits until the client neither sends nor receives. */
  async settled(): Promise<void> {
    do await new Promise((resolve) => setTimeout(resolve, 5));
    while (this.status === 'submitted' || this.status === 'streaming');
  }
}

class ArrayState implements ChatState<UIMessage> {
  status: ChatStatus = 'ready';
  error: Error | undefined;
  messages: UIMessage[] = [];
  pushMessage = (message: UIMessage) => {
    this.messages = [...this.messages, message];
  };
  popMessage = () => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index: number, message: UIMessage) => {
    this.messages = this.messages.with(index, structuredClone(message));
  };
  snapshot = <T>(thing: T): T => structuredClone(thing);
}

/** A `fetch` that calls the handler directly. */
export const passStraight =
  (
    chatModel: LanguageModel,
    { apiUrl, ...caller }: { apiKey?: string; address?: string; apiUrl?: string } = {},
  ): typeof fetch =>
  async (_, init) => {
    const answer = await makeHandler(
      chatModel,
      undefined,
      apiUrl,
    )(chatEvent(init?.body as string, caller), {} as Context);
    return new Response(answer.body ?? '', {
      status: answer.statusCode ?? 200,
      headers: answer.headers as Record<string, string>,
    });
  };

type UIPart = UIMessage['parts'][number];
export type ToolPart = Extract<UIPart, { toolCallId: string }> & { approval?: { id: string } };

/** The last call of a tool in a client's conversation. */
export const toolPart = (client: Client, name: string) =>
  client.messages.flatMap(({ parts }) => parts).findLast((part) => part.type === `tool-${name}`) as ToolPart;

export const joinText = ({ parts }: UIMessage) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** Collects the lines that the code under test logs, until `stop`. */
export const captureLog = () => {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  return {
    text: () => lines.join(''),
    stop: () => spy.mockRestore(),
    lines: () => lines.map((line) => JSON.parse(line)),
    of: (chatId: string) => lines.map((line) => JSON.parse(line)).filter((line) => line.chatId === chatId),
  };
};
