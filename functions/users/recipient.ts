import { insufficientPermissions, noSuchUser } from '../domain/errors.ts';
import type { Recipient } from '../domain/key-grants.ts';
import { hasScope } from '../http/authorize.ts';
import type { Principal } from '../http/endpoint.ts';
import type { Users } from '../store/users.ts';

/**
 * Returns what a user is to a key that administers keys: with the scope `users`, one of its clients; with `keys`, its own user.
 * Throws for any other user.
 */
export const findRecipient = async (
  principal: Principal,
  uid: string,
  users: Pick<Users, 'findClient'>,
): Promise<Recipient> => {
  if (uid === principal.uid && hasScope(principal, 'keys')) return 'own user';
  if (!hasScope(principal, 'users')) throw insufficientPermissions();
  if (!(await users.findClient(principal.uid, uid))) throw noSuchUser();
  return 'client';
};
