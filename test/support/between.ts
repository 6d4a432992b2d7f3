import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../bin/local/listen.ts';
import { target } from './world.ts';

/** A proxy before the service that delays, breaks and changes responses. `treat` returns true for a request that it has handled. */
export const startBetween = async (
  treat: (
    request: IncomingMessage,
    response: ServerResponse,
    forward: () => Promise<Response>,
    sent: Buffer,
  ) => Promise<unknown>,
) => {
  let begun = 0;
  const server = createServer(async (request, response) => {
    begun += 1;
    // A client that was stopped sends no complete body.
    const body = await buffer(request).catch(() => undefined);
    if (!body) return;
    const forward = () =>
      fetch(target.baseUrl + request.url, {
        method: request.method as string,
        headers: Object.fromEntries(
          Object.entries(request.headers).filter(([name]) =>
            /^(x-authorization|content-type|idempotency-key|if-match)$/.test(name),
          ),
        ) as Record<string, string>,
        ...(body.length > 0 && { body }),
      });
    if (await treat(request, response, forward, body)) return;
    const answer = await forward();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  const { endpoint: baseUrl, stop } = await listen(server);
  return {
    baseUrl,
    /** The number of requests that have begun to arrive. */
    begun: () => begun,
    [Symbol.asyncDispose]: stop,
  };
};
