import type { IncomingHttpHeaders } from 'node:http';
import type { ChatPart } from '../../functions/openapi/client/client.ts';
import { startBetween } from './between.ts';

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
  const between = await startBetween(async ({ method = '', headers }, response, forward) => {
    const fault = faults[seen.length];
    seen.push({ method, headers, at: Date.now() });
    if (fault === undefined) return false;
    if (fault === 'silent') return true;
    if (fault === 'broken') return response.destroy();
    if ('lost' in fault) {
      await forward();
      return response.destroy();
    }
    response.writeHead(fault.status, fault.headers);
    if (fault.open) response.write(fault.text);
    else if (fault.cut) response.write(fault.text, () => response.destroy());
    else response.end(fault.text);
    return true;
  });
  return { ...between, seen };
};

export const collectParts = async (parts: AsyncIterable<ChatPart>) => {
  const all: ChatPart[] = [];
  for await (const part of parts) all.push(part);
  return all;
};

export const question = (text: string) => ({
  id: 'conversation-1',
  messages: [{ id: 'message-1', role: 'user' as const, parts: [{ type: 'text' as const, text }] }],
});
