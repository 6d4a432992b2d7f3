import { createHmac } from 'node:crypto';
import type { Way } from './change-maker.ts';
import { isSameSecret } from './same-secret.ts';

/** The header in which a part of the service says that it sends a request with a caller's key. */
export const callerMarkHeader = 'x-called-by';

/** The parts of the service that send requests with a caller's key: the build chat, and the server of AI clients. */
const innerCallers = ['chat', 'mcp'] as const satisfies Way[];
export type InnerCaller = (typeof innerCallers)[number];

/** A part of the service that sends a request with a caller's key, and the id of the caller's own request. */
export type InnerCall = { caller: InnerCaller; requestId: string };

/** Returns the mark of a request with a key, which only the service can make. */
export const callerMark = ({ caller, requestId }: InnerCall, secret: string, apiKey: string): string =>
  `${caller} ${requestId} ${createHmac('sha256', secret).update(`caller mark\n${caller}\n${requestId}\n${apiKey}`).digest('hex')}`;

/** Returns what the mark of a request says; undefined if the mark is of no use. */
export const readCallerMark = (mark: string, secrets: readonly string[], apiKey: string): InnerCall | undefined => {
  const [name, requestId = ''] = mark.split(' ');
  const caller = innerCallers.find((one) => one === name);
  const call = caller && { caller, requestId };
  return call && secrets.some((secret) => isSameSecret(mark, callerMark(call, secret, apiKey))) ? call : undefined;
};
