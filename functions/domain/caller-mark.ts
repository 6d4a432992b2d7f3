import { createHmac } from 'node:crypto';
import { Scope } from './api-keys.ts';
import type { Way } from './change-maker.ts';
import { isSameSecret } from './same-secret.ts';

/** The header in which a part of the service says that it sends a request with a caller's key. */
export const callerMarkHeader = 'x-called-by';

/** The parts of the service that send requests with a caller's key: the build chat, and the server of AI clients. */
const innerCallers = ['chat', 'mcp'] as const satisfies Way[];
export type InnerCaller = (typeof innerCallers)[number];

/**
 * A part of the service that sends a request with a caller's key, and the id of the caller's own request. `scopes` narrows the
 * key to those of the caller's access token. `counts`: it counts against the limit of the key, in place of the caller's request.
 */
export type InnerCall = { caller: InnerCaller; requestId: string; scopes?: Scope[]; counts?: boolean };

/** Returns the mark of a request with a key, which only the service can make. */
export const callerMark = (
  { caller, requestId, scopes, counts }: InnerCall,
  secret: string,
  apiKey: string,
): string => {
  const said = [caller, requestId, scopes?.join() ?? '', counts ? 'counts' : ''];
  const mac = createHmac('sha256', secret)
    .update(['caller mark', ...said, apiKey].join('\n'))
    .digest('hex');
  return [...said, mac].join(' ');
};

/** Returns what the mark of a request says; undefined if the mark is of no use. */
export const readCallerMark = (mark: string, secrets: readonly string[], apiKey: string): InnerCall | undefined => {
  const [name, requestId = '', listed, counts] = mark.split(' ');
  const caller = innerCallers.find((one) => one === name);
  const scopes = listed ? Scope.options.filter((scope) => listed.split(',').includes(scope)) : undefined;
  const call = caller && { caller, requestId, scopes, counts: counts !== '' };
  return call && secrets.some((secret) => isSameSecret(mark, callerMark(call, secret, apiKey))) ? call : undefined;
};
