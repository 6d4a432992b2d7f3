/**
 * Writes one line of JSON to standard error, where Lambda and a terminal both take logs from.
 * Keys and phone numbers never pass: whatever looks like one is blacked out, wherever in the line it stands.
 */
export const log = (level: 'info' | 'warn' | 'error', fields: Record<string, unknown>) => {
  const line = JSON.stringify({ time: new Date().toISOString(), level, ...fields });
  process.stderr.write(`${redact(line)}\n`);
};

export const redact = (text: string) => text.replace(secrets, '…');

const secrets = /vap_[0-9A-Za-z]+|\b[sr]k_(?:live|test)_\w+|(?:\+|%2B)\d{5,15}/gi;

/** What the log says of an error: name, message, stack and causes, and nothing else that it carries. */
export const describeError = (error: Error): Record<string, unknown> => ({
  name: error.name,
  message: error.message,
  stack: error.stack,
  ...(error.cause instanceof Error && { cause: describeError(error.cause) }),
});
