import type { Users } from '../../functions/store/users.ts';
import { CommandError } from '../command-line/exit-codes.ts';

/** Finds a user, or fails with a sentence that says how to create one. */
export const existingUser = async (users: Users, uid: string) => {
  const user = await users.find(uid);
  if (!user) throw new CommandError(`There is no user ${uid}. Create one with "user create ${uid}".`);
  return user;
};
