import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventStreamCodec } from '@smithy/core/event-streams';
import { type ConverseRequest, nextTurn, summarizeRequest, type Turn } from './fake-model.ts';
import { type Listening, listen } from './listen.ts';

/**
 * Faults that a message such as `[fake: stall]` injects. `throttle` and `reject` are responses before the stream. `exception`,
 * `cut` and `stall` come in mid-stream. `silence` has no start, and `endless` no end.
 */
const faults = ['throttle', 'reject', 'exception', 'cut', 'stall', 'silence', 'endless'] as const;
type Fault = (typeof faults)[number];

type Options = {
  /** The pause between two words. */
  paceMilliseconds?: number;
  onRequest?: (request: IncomingMessage) => void;
};

/** Starts a fake Bedrock: it serves ConverseStream in the binary event stream format, with canned text and calls of the offered tools. */
export const startBedrock = async (options: Options = {}): Promise<Listening> => {
  const server = createServer((request, response) => {
    options.onRequest?.(request);
    respond(request.method, request.url ?? '', request.headers.authorization, request, response).catch((error) => {
      if (!response.destroyed) sendError(response, 500, 'InternalServerException', String(error));
    });
  });

  const respond = async (
    method: string | undefined,
    url: string,
    authorization: string | undefined,
    body: NodeJS.ReadableStream,
    response: ServerResponse,
  ) => {
    const given = await text(body);
    if (!/^(AWS4-HMAC-SHA256 Credential=|Bearer \S)/.test(authorization ?? '')) {
      return sendError(response, 403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
    }
    if (method !== 'POST' || !/^\/model\/[^/]+\/converse-stream$/.test(url)) {
      return sendError(response, 404, 'UnknownOperationException', 'The fake Bedrock supports only ConverseStream.');
    }
    const conversation = JSON.parse(given) as ConverseRequest;
    const fault = findFault(summarizeRequest(conversation).text);
    if (fault === 'throttle') {
      return sendError(response, 429, 'ThrottlingException', 'Too many requests, please wait before trying again.');
    }
    if (fault === 'reject') return sendError(response, 400, 'ValidationException', 'The model rejected this request.');
    response.writeHead(200, {
      'content-type': 'application/vnd.amazon.eventstream',
      'x-amzn-requestid': randomUUID(),
    });
    response.flushHeaders();
    await stream(response, nextTurn(conversation), { fault, given, pace: options.paceMilliseconds ?? 15 });
  };

  return listen(server);
};

const findFault = (words: string) => faults.find((fault) => words.includes(`[fake: ${fault}]`));

const sendError = (response: ServerResponse, status: number, type: string, message: string) => {
  if (response.headersSent) return response.destroy();
  response.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type });
  response.end(JSON.stringify({ message }));
};

/** Streams a response as the model's events, in Bedrock's order. */
const stream = async (
  response: ServerResponse,
  turn: Turn,
  { fault, given, pace }: { fault: Fault | undefined; given: string; pace: number },
): Promise<void> => {
  const left = new AbortController();
  response.on('close', () => left.abort());
  const send = async (bytes: Uint8Array) => {
    if (!response.write(bytes)) await once(response, 'drain', { signal: left.signal });
    await sleep(pace, undefined, { signal: left.signal });
  };
  const event = (type: string, body: object) => send(encodeMessage('event', type, body));
  try {
    if (fault === 'silence') return await forever(left.signal);
    await event('messageStart', { role: 'assistant' });
    let index = 0;
    let characters = 0;
    if (turn.text) {
      for (const word of splitWords(turn.text, fault)) {
        characters += word.length;
        await event('contentBlockDelta', { contentBlockIndex: index, delta: { text: word } });
        if (characters < 20) continue;
        if (fault === 'stall') return await forever(left.signal);
        if (fault === 'exception') {
          const message = 'The model encountered an unexpected error.';
          response.end(encodeMessage('exception', 'modelStreamErrorException', { message }));
          return;
        }
        if (fault === 'cut') {
          response.write(encodeMessage('event', 'contentBlockDelta', { contentBlockIndex: index }).subarray(0, 40));
          setTimeout(() => response.destroy(), 20);
          return;
        }
      }
      await event('contentBlockStop', { contentBlockIndex: index });
      index += 1;
    }
    for (const { name, input } of turn.calls ?? []) {
      const toolUse = { toolUseId: `tooluse_${randomUUID().replaceAll('-', '').slice(0, 22)}`, name };
      await event('contentBlockStart', { contentBlockIndex: index, start: { toolUse } });
      const json = JSON.stringify(input);
      characters += json.length;
      for (let at = 0; at < json.length; at += 24) {
        const piece = json.slice(at, at + 24);
        await event('contentBlockDelta', { contentBlockIndex: index, delta: { toolUse: { input: piece } } });
      }
      await event('contentBlockStop', { contentBlockIndex: index });
      index += 1;
    }
    await event('messageStop', { stopReason: turn.calls?.length ? 'tool_use' : 'end_turn' });
    const inputTokens = Math.ceil(given.length / 4);
    const outputTokens = Math.ceil(characters / 4);
    const usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
    response.end(encodeMessage('event', 'metadata', { usage, metrics: { latencyMs: 1 } }));
  } catch (error) {
    // The reader has disconnected.
    if (!left.signal.aborted) throw error;
  }
};

const forever = (signal: AbortSignal) => sleep(2 ** 31 - 1, undefined, { signal });

function* splitWords(text: string, fault: Fault | undefined) {
  const words = text.match(/\S+\s*/g) ?? [];
  yield* words;
  while (fault === 'endless') yield* words;
}

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString()),
  (text) => Buffer.from(text),
);

/** Encodes one message of the event stream. `p` is the padding that Bedrock adds to hide the length of the text. */
const encodeMessage = (messageType: 'event' | 'exception', type: string, body: object): Uint8Array => {
  const padding = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'.slice(0, 4 + Math.floor(Math.random() * 48));
  return codec.encode({
    headers: {
      [`:${messageType}-type`]: { type: 'string', value: type },
      ':content-type': { type: 'string', value: 'application/json' },
      ':message-type': { type: 'string', value: messageType },
    },
    body: Buffer.from(JSON.stringify({ ...body, p: padding })),
  });
};
