import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Way } from './change-maker.ts';

/** The header in which a part of the service says that it sends a request with a caller's key. */
export const callerMarkHeader = 'x-called-by';

/** The parts of the service that send requests with a caller's key: the build chat, and the server of AI clients. */
const innerCallers = ['chat', 'mcp'] as const satisfies Way[];
export type InnerCaller = (typeof innerCallers)[number];

/** Returns the mark of a request. Only the service knows the secret, so no caller can produce one, and that of another key is of no use. */
export const callerMark = (caller: InnerCaller, secret: string, apiKey: string): string =>
  `${caller} ${createHmac('sha256', secret).update(`caller mark\n${caller}\n${apiKey}`).digest('hex')}`;

/** Returns the sender of a request that has a mark; undefined if the mark is of no use. */
export const readCallerMark = (mark: string, secrets: readonly string[], apiKey: string): InnerCaller | undefined =>
  innerCallers.find((caller) => secrets.some((secret) => isSame(mark, callerMark(caller, secret, apiKey))));

const isSame = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
