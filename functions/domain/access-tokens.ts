import { namedScopes, Scope } from './api-keys.ts';

/** An access token begins with this, so that scanners and the service tell it from a key. */
export const accessTokenPrefix = 'voa_';

/** Checks the form of an access token of an AI client. Only POST /mcp opens it. */
export const isAccessToken = (text: string): boolean => text.startsWith(accessTokenPrefix);

/** The scopes that no AI client gets. */
const withheldScopes: ReadonlySet<Scope> = new Set(['users', 'keys', 'privacy']);

/** The scopes that the user of a key may give to an AI client. */
export const grantableScopes: Scope[] = Scope.options.filter((scope) => !withheldScopes.has(scope));

/** The scopes that a client asks for if it names none. */
export const defaultGrantScopes = ['agents', 'knowledge', 'calls', 'block-list'] as const satisfies Scope[];

/** Returns the scopes that a key has and may give to an AI client. */
export const listGrantableScopes = ({ scopes }: { scopes?: Scope[] }): Scope[] =>
  grantableScopes.filter((scope) => (scopes ? scopes.includes(scope) : !namedScopes.has(scope)));
