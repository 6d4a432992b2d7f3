/**
 * Writes one line of JSON to standard error, which both Lambda and a terminal show. Redacts keys, phone numbers and e-mail
 * addresses in every string, because callers may write them anywhere.
 */
export const log = (level: 'info' | 'warn' | 'error', fields: Record<string, unknown>) => {
  const redacted = (_: string, value: unknown) => (typeof value === 'string' ? redact(value) : value);
  const line = JSON.stringify({ time: new Date().toISOString(), level, ...fields }, redacted);
  process.stderr.write(`${line}\n`);
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
