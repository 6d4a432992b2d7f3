import { isApiKey, type Scope } from '../domain/api-keys.ts';
import { insufficientPermissions, invalidApiKey, missingApiKey } from '../domain/errors.ts';
import { type Access, credentials } from '../store/credentials.ts';
import { admit } from './authorize.ts';
import type { Admission, AgentReference, AnyEndpoint, Principal } from './endpoint.ts';
import type { ApiEvent, ApiMiddleware, Form, FormRead } from './lambda.ts';

/**
 * Lets a request with a key in, or tells what keeps it out: first its key, then its form, then its access to what it names.
 * Key and agent come in one read; when the form is wrong only the key is read, and a malformed key costs no read.
 */
export const authenticate = (endpoint: AnyEndpoint): ApiMiddleware => {
  const { caller } = endpoint;
  if (caller.kind === 'anyone' && caller.key) return authenticateIfAsked;
  if (caller.kind !== 'key') return admit(endpoint);
  return {
    async before({ event, context }) {
      const form = context.form as Form;
      const named = 'refusal' in form ? {} : namedBy(caller, form);
      const { principal, access } = await read(keyOf(event), named.agentId);
      context.principal = principal;
      if (!allows(principal, caller.scope)) throw insufficientPermissions();
      if ('refusal' in form) throw form.refusal;
      context.agent = agentOf(principal, named, access);
    },
  };
};

/** Lets anyone in, and who sends a key only with a good one. */
const authenticateIfAsked: ApiMiddleware = {
  async before({ event, context }) {
    const form = context.form as Form;
    if (event.headers['x-authorization']?.trim()) context.principal = (await read(keyOf(event))).principal;
    if ('refusal' in form) throw form.refusal;
  },
};

const read = async (
  apiKey: string,
  agentId?: string,
): Promise<{ principal: Principal; access: Access | undefined }> => {
  const { key, access } = await credentials.get().read(apiKey, agentId);
  if (!key) throw invalidApiKey();
  return { principal: { uid: key.uid, keyId: key.keyId, scopes: key.scopes }, access };
};

/** Whether a key's scopes cover what is asked. A key without scopes may do everything. */
export const allows = (principal: Principal, scope: Scope) => !principal.scopes || principal.scopes.includes(scope);

/** The agent a request names, if it names one. A foreign agent, a missing one and a foreign user are refused alike. */
export const agentOf = (
  principal: Principal,
  named: Partial<AgentReference>,
  access: Access | undefined,
): Admission['agent'] | undefined => {
  if (named.uid !== undefined && named.uid !== principal.uid) throw insufficientPermissions();
  if (named.agentId === undefined) return undefined;
  if (!access?.has(principal.uid)) throw insufficientPermissions();
  return { agentId: named.agentId, uid: access.owner };
};

/** Whom and what a request with a key names: a user, an agent, both, or neither. */
export const namedBy = (caller: AnyEndpoint['caller'], form: FormRead): Partial<AgentReference> =>
  caller.kind === 'key' ? (caller.agent?.(form) ?? caller.user?.(form) ?? {}) : {};

const keyOf = (event: ApiEvent): string => {
  const header = event.headers['x-authorization']?.trim();
  if (!header) throw missingApiKey();
  const key = header.replace(/^Bearer\s+/i, '');
  if (!isApiKey(key)) throw invalidApiKey();
  return key;
};
