import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../../bin/local/listen.ts';

/** A response of a receiver. The first request gets the first reply, and so on; the last one is repeated. */
export type ReceiverReply = {
  status?: number;
  headers?: Record<string, string>;
  /** The receiver never responds. */
  hangs?: boolean;
  delayMilliseconds?: number;
  /** The size of the response. */
  bodyBytes?: number;
};

/** A request that a receiver got. */
export type Received = { at: number; headers: Record<string, string>; body: string };

/**
 * Receivers of webhooks, one for each path, on a port of their own. Any process can set what a path answers (PUT), and read
 * what it has received (GET).
 */
export const startReceivers = async () => {
  const replies = new Map<string, ReceiverReply[]>();
  const received = new Map<string, Received[]>();
  const sent = new Map<string, number>();
  const answer = async (path: string, request: IncomingMessage, response: ServerResponse) => {
    const body = await readText(request);
    const requests = received.get(path) ?? [];
    received.set(path, [...requests, { at: Date.now(), headers: request.headers as Record<string, string>, body }]);
    const [first = {}, ...more] = replies.get(path) ?? [];
    const reply = [first, ...more][Math.min(requests.length, more.length)] ?? first;
    if (reply.hangs) return;
    await sleep(reply.delayMilliseconds ?? 0);
    response.writeHead(reply.status ?? 204, reply.headers);
    for (let left = reply.bodyBytes ?? 0; left > 0 && !response.destroyed; left -= chunk.length) {
      sent.set(path, (sent.get(path) ?? 0) + chunk.length);
      if (!response.write(chunk))
        await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
    }
    response.end();
  };
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/';
    if (request.method === 'POST') return answer(path, request, response);
    if (request.method === 'PUT') replies.set(path, JSON.parse(await readText(request)) as ReceiverReply[]);
    const seen = { received: received.get(path) ?? [], sentBytes: sent.get(path) ?? 0 };
    response.end(JSON.stringify(seen));
  });
  const { endpoint: origin, stop } = await listen(server);
  return { origin, stop };
};

const chunk = Buffer.alloc(64 * 1024, 'x');

const readText = async (request: IncomingMessage) => {
  let text = '';
  for await (const part of request) text += part;
  return text;
};
