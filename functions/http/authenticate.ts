import { isApiKey, type Scope } from '../domain/api-keys.ts';
import { insufficientPermissions, invalidApiKey, missingApiKey } from '../domain/errors.ts';
import { keyring } from '../store/keyring.ts';
import { admit } from './admit.ts';
import type { AgentReference, AnyEndpoint, KeyHolder } from './endpoint.ts';
import type { ApiEvent, ApiMiddleware, Form, FormRead } from './lambda.ts';

/**
 * Lets a request with a key in, or tells what keeps it out: first its key, then its form, then its access to what it names.
 * Key and agent come in one read; when the form is wrong only the key is read, and a malformed key costs no read.
 */
export const authenticate = (endpoint: AnyEndpoint): ApiMiddleware => {
  const { caller } = endpoint;
  if (caller.kind !== 'key') return admit(endpoint);
  return {
    async before({ event, context }) {
      const form = context.form as Form;
      const named = 'refusal' in form ? {} : namedBy(caller, form);
      const { key, access } = await keyring.open().read(keyOf(event), named.agentId);
      if (!key) throw invalidApiKey();
      const holder: KeyHolder = { uid: key.uid, keyId: key.keyId, scopes: key.scopes };
      context.holder = holder;
      if (!allows(holder, caller.scope)) throw insufficientPermissions();
      if ('refusal' in form) throw form.refusal;
      if (named.uid !== undefined && named.uid !== holder.uid) throw insufficientPermissions();
      if (named.agentId !== undefined) {
        if (!access?.has(holder.uid)) throw insufficientPermissions();
        context.agent = { agentId: named.agentId, uid: access.owner };
      }
    },
  };
};

/** Whether a key's scopes cover what is asked. A key without scopes may do everything. */
export const allows = (holder: KeyHolder, scope: Scope) => !holder.scopes || holder.scopes.includes(scope);

const namedBy = (caller: AnyEndpoint['caller'], form: FormRead): Partial<AgentReference> =>
  caller.kind === 'key' ? (caller.agent?.(form) ?? caller.user?.(form) ?? {}) : {};

const keyOf = (event: ApiEvent): string => {
  const header = event.headers['x-authorization']?.trim();
  if (!header) throw missingApiKey();
  const key = header.replace(/^Bearer\s+/i, '');
  if (!isApiKey(key)) throw invalidApiKey();
  return key;
};
