import { currentRequestId } from './cause.ts';
import { readTrace, toRequestId } from './domain/trace.ts';

/**
 * Writes one line of JSON to standard error, which both Lambda and a terminal show. Redacts keys, phone numbers and e-mail
 * addresses in every string, because callers may write them anywhere. A line about a request has its trace.
 */
export const log = (
  level: 'info' | 'warn' | 'error',
  { requestId, ...fields }: Record<string, unknown> & { requestId?: string },
) => {
  const redacted = (_: string, value: unknown) => (typeof value === 'string' ? redact(value) : value);
  const line = JSON.stringify(
    { time: new Date().toISOString(), level, ...describeRequest(requestId), ...fields },
    redacted,
  );
  process.stderr.write(`${line}\n`);
};

/** Returns the id and the trace of a request. A plain id of the present request has the trace of its reference. */
const describeRequest = (requestId: string | undefined) => {
  if (requestId === undefined) return {};
  const present = currentRequestId();
  const reference = toRequestId(present) === requestId ? (present ?? requestId) : requestId;
  return { requestId: toRequestId(reference), traceId: readTrace(reference).traceId };
};

const keys = /vap_[0-9A-Za-z]+|\b[sr]k_(?:live|test)_\w+|whsec_[0-9A-Za-z+/]+=*/gi;
/** A local part may be quoted, and then has any character. */
const emailAddresses =
  /(?:"[^"\n]{1,64}"|[^\s"'<>()[\],;:@%/]{1,64})(?:@|%40)(?:[\p{L}\p{Nd}-]{1,63}\.){1,8}\p{L}{2,63}/giu;
/**
 * 7 to 15 digits, which may be grouped; or 5 or more digits after a plus, which may be several numbers. Digits within a word, an
 * identifier, a time or a position in a file are not a phone number.
 */
const phoneNumbers =
  /(?:\+|%2B)\(?\p{Nd}(?:(?:[\s()./\-\u2010-\u2015]|%20){0,3}\p{Nd}){4,}|(?<![\p{L}\p{Nd}_-]|\p{Nd}[.:])\(?\p{Nd}(?:(?:[\s()./\-\u2010-\u2015]|%20){0,3}\p{Nd}){6,14}(?![\p{L}\p{Nd}_-]|[.:]\p{Nd})/giu;

/** Replaces keys, phone numbers and e-mail addresses in a text. */
export const redact = (text: string) => text.replace(keys, '…').replace(emailAddresses, '…').replace(phoneNumbers, '…');

/** Returns the fields of an error that are logged: name, message, stack and causes. */
export const describeError = (error: Error): Record<string, unknown> => ({
  name: error.name,
  message: error.message,
  stack: error.stack,
  ...(error.cause instanceof Error && { cause: describeError(error.cause) }),
});
