import { createHash, randomBytes } from 'node:crypto';

/**
 * The reference to a request: its id, followed by the caller's `traceparent` and `tracestate` where it sent valid ones. It goes
 * wherever the id of a request goes, so that work has the trace of the request that caused it, however many jobs later.
 */
export type RequestReference = string;

const forms = {
  present: /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/,
  // A later version may have more behind its fields.
  later: /^(?!00|ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/,
};
const maxStateBytes = 512;

/** A trace (W3C Trace Context, level 1), and the span of the caller in it. */
export type Trace = { traceId: string; parentId: string | undefined; flags: string; state: string | undefined };

const parseParent = (header: string | undefined) => {
  const [, traceId = '', parentId = '', flags = ''] =
    forms.present.exec(header ?? '') ?? forms.later.exec(header ?? '') ?? [];
  return /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(parentId) ? { traceId, parentId, flags } : undefined;
};

/** Returns the reference to a request with these headers. An invalid trace is ignored. */
export const toReference = (
  requestId: string,
  { traceparent, tracestate = '' }: Record<string, string | undefined>,
): RequestReference => {
  const parent = parseParent(traceparent);
  if (!parent) return requestId;
  const isSent = tracestate.length <= maxStateBytes && /^[\x20-\x7e]+$/.test(tracestate);
  const { traceId, parentId, flags } = parent;
  return `${requestId} 00-${traceId}-${parentId}-${flags}${isSent ? ` ${tracestate}` : ''}`;
};

/** Returns the id of a request from its reference. */
export const toRequestId = <R extends RequestReference | undefined>(reference: R): R =>
  reference?.split(' ', 1)[0] as R;

/** Returns the trace of a request. Where the caller sent none, it follows from the id. */
export const readTrace = (reference: RequestReference): Trace => {
  const [, id = '', sent, state] = /^(\S*)(?: (\S+))?(?: (.*))?$/.exec(reference) ?? [];
  const parent = parseParent(sent);
  return parent
    ? { ...parent, state }
    : { traceId: digest('trace', id), parentId: undefined, flags: '01', state: undefined };
};

const digest = (kind: string, text: string) =>
  createHash('sha256').update(`${kind} ${text}`).digest('hex').slice(0, 32);

export const newSpanId = (): string => randomBytes(8).toString('hex');

/** Returns the headers that tell a receiver the trace, and the span of the request to it. */
export const traceHeaders = ({ traceId, flags, state }: Trace, spanId: string): Record<string, string> => ({
  traceparent: `00-${traceId}-${spanId}-${flags}`,
  ...(state !== undefined && { tracestate: state }),
});
