/** A redirect URI without its port: a native client listens on any port of its own machine (RFC 8252, 7.3). */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/;

const maxCharacters = 1000;

/** Checks that a client may be sent to this address: https, or http on its own machine. */
export const isRedirectUri = (text: unknown): text is string => {
  // Browsers read a backslash as a slash, and drop tabs and line breaks.
  if (typeof text !== 'string' || text.length > maxCharacters || !/^[\x21-\x7e]+$/.test(text) || /[\\#]/.test(text))
    return false;
  if (loopback.test(text)) return URL.canParse(text);
  const url = text.startsWith('https://') ? URL.parse(text) : null;
  return url !== null && url.username === '' && url.password === '' && !text.slice('https://'.length).startsWith('/');
};

/** Checks that a client has registered an address, to the letter. Only the port of a loopback address may differ. */
export const isRegistered = (uri: string, registered: readonly unknown[]): boolean =>
  isRedirectUri(uri) &&
  registered.some(
    (one) => isRedirectUri(one) && (one === uri || (loopback.test(uri) && withoutPort(one) === withoutPort(uri))),
  );

const withoutPort = (uri: string) => uri.replace(loopback, '$1$2');

/** Returns the host of an address as a person reads it: with its port where it is not the scheme's. */
export const readHost = (uri: string): string => new URL(uri).host;

/** Appends parameters to a redirect URI, which stays as it is. */
export const appendParameters = (uri: string, parameters: Record<string, string | undefined>): string => {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(given)}`;
};
