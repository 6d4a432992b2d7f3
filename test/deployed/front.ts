import { createServer } from 'node:http';
import { Agent, request as requestTls } from 'node:https';
import { listen } from '../../bin/local/listen.ts';

/** Each request in flight is a process of its own there, and this machine has few cores. */
const inFlightAtMost = 8;

/**
 * A front that replaces DNS: an address of this machine that leads to a host of the emulator. Requests and responses pass
 * unchanged.
 */
export const startFront = async (options: { endpoint: string; host: string; certificate: Buffer }) => {
  const { port } = new URL(options.endpoint);
  const agent = new Agent({ keepAlive: true, ca: options.certificate });
  const waiting: (() => void)[] = [];
  let inFlight = 0;
  const server = createServer(async (request, response) => {
    if (inFlight >= inFlightAtMost) await new Promise<void>((resolve) => waiting.push(resolve));
    inFlight += 1;
    response.once('close', () => {
      inFlight -= 1;
      waiting.shift()?.();
    });
    const { connection: _, ...headers } = request.headers;
    const passedOn = requestTls(
      {
        agent,
        host: '127.0.0.1',
        servername: 'localhost',
        port,
        method: request.method,
        path: request.url,
        headers: { ...headers, host: options.host },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(response);
      },
    );
    passedOn.on('error', (error) => {
      if (response.headersSent) response.destroy();
      else
        response.writeHead(502, { 'content-type': 'text/plain' }).end(`The emulator did not answer: ${error.message}`);
    });
    request.pipe(passedOn);
  });
  const { endpoint: baseUrl, stop } = await listen(server);
  return {
    baseUrl,
    async stop() {
      await stop();
      agent.destroy();
    },
  };
};
