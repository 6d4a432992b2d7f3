import type { Users } from '../../functions/store/users.ts';
import { UsageError } from './usage-error.ts';

/** Finds a user; one that does not exist is an error in a sentence. */
export const existingUser = async (users: Users, uid: string) => {
  const user = await users.find(uid);
  if (!user) throw new UsageError(`There is no user ${uid}: make one with "user create ${uid}".`);
  return user;
};
