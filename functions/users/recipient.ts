import { insufficientPermissions, noSuchUser } from '../domain/errors.ts';
import type { Recipient } from '../domain/key-grants.ts';
import { hasScope } from '../http/authorize.ts';
import type { Principal } from '../http/endpoint.ts';
import type { Users } from '../store/users.ts';
import { chooseMaker } from './chosen-maker.ts';

/** Returns a client (scope `users`) or the own user (scope `keys`). Throws for any other user. */
export const findRecipient = async (
  principal: Principal,
  uid: string,
  users: Pick<Users, 'findClient'>,
): Promise<Recipient> => {
  if (uid === principal.uid && hasScope(principal, 'keys')) return 'own user';
  if (!hasScope(principal, 'users')) throw insufficientPermissions();
  if (!(await users.findClient(chooseMaker(principal), uid))) throw noSuchUser();
  return 'client';
};
