/** The proxy's own thread, so that what it costs does not stand in the way of what is measured. See `proxy.ts`. */
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request as send } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { listen } from '../../bin/local/listen.ts';
import type { Seen } from './proxy.ts';

const targets = workerData as Record<string, string>;
const port = parentPort as NonNullable<typeof parentPort>;
const agent = new Agent({ keepAlive: true, maxSockets: 256 });
let delayMilliseconds = 5;
let seen: Seen[] = [];

const readBytes = async (message: IncomingMessage) => {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const startDoor = async (name: string, target: string): Promise<[string, string]> => {
  const server = createServer(async (incoming, outgoing) => {
    const begin = performance.now();
    try {
      const body = await readBytes(incoming);
      await sleep(delayMilliseconds);
      const { method = 'GET', url = '/', headers } = incoming;
      // An operation of AWS has its own name. Other requests are named by method and host.
      const operation = String(headers['x-amz-target'] ?? `${method} ${name}`).replace(/^.*\./, '');
      const onward = send(new URL(url, target), { method, headers, agent });
      onward.end(body);
      const [answer] = (await once(onward, 'response')) as [IncomingMessage];
      const bytes = await readBytes(answer);
      await sleep(delayMilliseconds);
      seen.push({ service: name, operation, begin, end: performance.now() });
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(bytes);
    } catch {
      outgoing.destroy();
    }
  });
  server.keepAliveTimeout = 60_000;
  return [name, (await listen(server)).endpoint];
};

const doors = await Promise.all(Object.entries(targets).map(([name, target]) => startDoor(name, target)));
port.on('message', (message: { delayMilliseconds: number } | 'take') => {
  if (message === 'take') {
    port.postMessage(seen);
    seen = [];
  } else delayMilliseconds = message.delayMilliseconds;
});
port.postMessage(Object.fromEntries(doors));
