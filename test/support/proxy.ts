import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../bin/local/listen.ts';
import { target } from './world.ts';

/** One request on its way, and the actions that the proxy may take. */
export type Passage = {
  /** The number of the request, counted from 1. */
  number: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever was sent
  items: any[];
  /** Forwards the request, and returns the response of the service. */
  // biome-ignore lint/suspicious/noExplicitAny: any response
  forward(): Promise<{ status: number; body: any }>;
};

/** The reply to the caller: a response, by default that of the service, or a broken connection. */
export type Treatment = { status: number; headers?: Record<string, string>; body?: unknown } | 'broken' | undefined;

/** A proxy before the service under test, which delays, breaks and changes answers to what sends items. It counts what passes. */
export const startProxy = async (treat: (passage: Passage) => Promise<Treatment> | Treatment = () => undefined) => {
  const seen: { at: number; items: unknown[] }[] = [];
  const reads: string[] = [];
  const server = createServer(async (request, response) => {
    const sent = await buffer(request);
    if (request.method === 'GET') {
      reads.push(String(request.url));
      const headers = { 'x-authorization': String(request.headers['x-authorization']) };
      const answer = await fetch(target.baseUrl + request.url, { headers });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
      return;
    }
    const { items } = JSON.parse(sent.toString());
    seen.push({ at: Date.now(), items });
    const forward = async () => {
      const headers = {
        'x-authorization': String(request.headers['x-authorization']),
        'content-type': 'application/json',
      };
      const answer = await fetch(target.baseUrl + request.url, { method: 'POST', headers, body: sent });
      return { status: answer.status, body: await answer.json() };
    };
    const answer = (await treat({ number: seen.length, items, forward })) ?? (await forward());
    if (answer === 'broken') return response.destroy();
    const { status, headers, body = {} } = answer as Exclude<Treatment, 'broken' | undefined>;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  const { endpoint: baseUrl, stop } = await listen(server);
  return {
    baseUrl,
    seen,
    reads,
    rowsSeen: () => seen.reduce((rows, { items }) => rows + items.length, 0),
    [Symbol.asyncDispose]: stop,
  };
};
