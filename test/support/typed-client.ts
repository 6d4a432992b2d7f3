import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../bin/local/listen.ts';
import type { ChatPart } from '../../functions/openapi/client/client.ts';
import { target } from './world.ts';

export type Fault =
  | {
      status: number;
      headers?: Record<string, string>;
      text?: string;
      /** Breaks off after the text. */
      cut?: true;
      /** Sends nothing after the text, and does not end. */
      open?: true;
    }
  | 'broken'
  | 'silent';

export type Seen = { method: string; headers: IncomingHttpHeaders; at: number };

/** A proxy that handles the first requests as given, either instead of the service or after it has responded. */
export const withFaults = async (...faults: (Fault | { lost: true })[]) => {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const { method = '', headers } = request;
    const fault = faults[seen.length];
    seen.push({ method, headers, at: Date.now() });
    if (fault === 'silent') return;
    if (fault === 'broken') return response.destroy();
    if (fault && 'status' in fault) {
      response.writeHead(fault.status, fault.headers);
      if (fault.open) return response.write(fault.text);
      return fault.cut ? response.write(fault.text, () => response.destroy()) : response.end(fault.text);
    }
    const sent: Record<string, string> = {};
    for (const [name, value] of Object.entries(headers)) sent[name] = String(value);
    sent.host = new URL(target.baseUrl).host;
    for (const name of ['connection', 'content-length', 'transfer-encoding', 'expect']) delete sent[name];
    const answer = await fetch(target.baseUrl + request.url, {
      method,
      headers: sent,
      ...(body.length > 0 && { body }),
    });
    const content = Buffer.from(await answer.arrayBuffer());
    if (fault) return response.destroy();
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(content);
  });
  const { endpoint: baseUrl, stop } = await listen(server);
  return { baseUrl, seen, [Symbol.asyncDispose]: stop };
};

export const partsOf = async (parts: AsyncIterable<ChatPart>) => {
  const all: ChatPart[] = [];
  for await (const part of parts) all.push(part);
  return all;
};

export const question = (text: string) => ({
  id: 'conversation-1',
  messages: [{ id: 'message-1', role: 'user' as const, parts: [{ type: 'text' as const, text }] }],
});
