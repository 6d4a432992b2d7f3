import type { ApiKey } from '../domain/api-keys.ts';
import { noSuchKey } from '../domain/errors.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import type { Recipient } from '../domain/key-grants.ts';
import type { Principal } from '../http/endpoint.ts';
import type { ApiKeys } from '../store/api-keys.ts';
import type { Users } from '../store/users.ts';
import { findRecipient } from './recipient.ts';

/** Finds a key that another one may end or rotate, or the key itself. Throws for a key or a user that it may not administer. */
export const existingKey = async (
  principal: Principal,
  { uid, keyId }: { uid: string; keyId: string },
  { apiKeys, users }: { apiKeys: Pick<ApiKeys, 'find'>; users: Pick<Users, 'findClient'> },
): Promise<{ key: ApiKey; recipient: Recipient }> => {
  const isItself = uid === principal.uid && keyId === principal.keyId;
  const recipient = isItself ? 'own user' : await findRecipient(principal, uid, users);
  const key = isIdentifier(keyId) ? await apiKeys.find(uid, keyId) : undefined;
  if (!key) throw noSuchKey();
  return { key, recipient };
};
