import { startBetween } from './between.ts';

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
  const between = await startBetween(async ({ method, url }, response, forward, sent) => {
    if (method === 'GET') return void reads.push(String(url));
    const { items } = JSON.parse(sent.toString());
    seen.push({ at: Date.now(), items });
    const forwardItems = async () => {
      const answer = await forward();
      return { status: answer.status, body: await answer.json() };
    };
    const answer = await treat({ number: seen.length, items, forward: forwardItems });
    if (answer === 'broken') return response.destroy();
    if (!answer) return false;
    const { status, headers, body = {} } = answer;
    return response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  const rowsSeen = () => seen.reduce((rows, { items }) => rows + items.length, 0);
  return { ...between, seen, reads, rowsSeen };
};
