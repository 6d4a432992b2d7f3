import type { ApiError } from './types.ts';

/** A part of the assistant's answer in the AI SDK's UI message stream. The parts that most programs read are fully typed. */
export type ChatPart =
  | { type: 'start'; messageId?: string }
  | { type: 'text-start' | 'text-end'; id: string }
  | { type: 'text-delta'; id: string; delta: string }
  | { type: 'tool-input-available'; toolCallId: string; toolName: string; input: unknown }
  | { type: 'tool-output-available'; toolCallId: string; output: unknown }
  | { type: 'tool-approval-request'; toolCallId: string; approvalId: string }
  | { type: 'finish'; finishReason?: string }
  /** The answer failed. `error` is set if it failed before it began. */
  | { type: 'error'; errorText: string; error?: ApiError };

/** The parts of an answer. It ends with the stream, or with a part of type `error`; only an abort by the caller is thrown. */
export async function* chatParts(responding: Promise<Response>): AsyncGenerator<ChatPart, void> {
  const response = await responding;
  if (!response.ok) {
    const error = (await response.json()) as ApiError;
    yield { type: 'error', errorText: error.message, error };
    return;
  }
  try {
    for await (const event of readEvents(response.body as ReadableStream<Uint8Array>)) {
      if (event === '[DONE]') return;
      yield JSON.parse(event) as ChatPart;
    }
  } catch (fault) {
    if ((fault as Error).name === 'AbortError') throw fault;
  }
  yield { type: 'error', errorText: 'The connection was lost before the answer was complete.' };
}

/** The data of server-sent events. The service writes one line of data an event. */
async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() as string;
      for (const line of lines) if (line.startsWith('data: ')) yield line.slice(6);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
