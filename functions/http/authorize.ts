import { namedScopes, type Scope } from '../domain/api-keys.ts';
import { insufficientPermissions, missingScope, userSuspended } from '../domain/errors.ts';
import type { Lookup } from '../store/table.ts';
import { type AnyEndpoint, type AuthorizedAgent, endpointScopes, type Principal } from './endpoint.ts';
import type { Identified } from './identify.ts';
import type { Input, ParsedInput } from './input.ts';

/** A request that may be performed, with the identity that its `caller` requires. */
export type AuthorizedRequest = {
  input: Input;
  principal?: Principal;
  apiKey?: string;
  /** The scopes of an access token that has fewer than its grant. */
  tokenScopes?: Scope[];
  agent?: AuthorizedAgent;
  found?: unknown;
};

/** Checks the scope, the input and the access. Callers without a valid key see no validation message. */
export const authorize = (
  endpoint: AnyEndpoint,
  { principal, access, found, isSuspended }: Identified,
  parsed: ParsedInput,
): AuthorizedRequest => {
  if (isSuspended && !isServed(endpoint.caller, parsed)) throw userSuspended();
  const scopes = endpointScopes(endpoint);
  if (scopes.length > 0 && !scopes.some((scope) => hasScope(principal, scope))) throw missingScope(...scopes);
  if (parsed.error) throw parsed.error;
  const { input, reference } = parsed;
  const { uid, agentId } = reference;
  if (uid !== undefined && uid !== principal.uid) throw insufficientPermissions();
  if (agentId === undefined) return { input, principal, found };
  // Foreign and missing agents get the same error, so that nobody can enumerate agents.
  if (!access?.has(principal.uid)) throw insufficientPermissions();
  const { owner, outcomeRules, discloses } = access;
  const agent = { agentId, uid: owner, outcomeRules, discloses };
  return { input, principal, agent, found };
};

/** Checks whether a request of a suspended user is performed. */
const isServed = (caller: AnyEndpoint['caller'], { input }: { input?: Input }): boolean =>
  (input && 'servesSuspended' in caller && caller.servesSuspended?.(input)) || false;

/** Returns the lookup that an endpoint makes together with the key's. */
export const prefetchLookup = (
  caller: AnyEndpoint['caller'],
  { input }: { input?: Input },
): Lookup<unknown> | undefined => (input && 'prefetch' in caller ? caller.prefetch?.(input) : undefined);

/** Checks a key's scope. Without a list, it has all but those that must be named. */
export const hasScope = ({ scopes }: Principal, scope: Scope) =>
  scopes ? scopes.includes(scope) : !namedScopes.has(scope);

/** Throws for a key that lacks one of these scopes. */
export const checkScopes = (principal: Principal, scopes: Scope[]) => {
  for (const scope of scopes) if (!hasScope(principal, scope)) throw missingScope(scope);
};
