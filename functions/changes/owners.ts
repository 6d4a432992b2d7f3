import type { ServicesOf } from '../service.ts';
import { credentials } from '../store/credentials.ts';
import { users } from '../store/users.ts';

export const ownerServices = { credentials: credentials.for('findOwners'), users: users.for('findMany') };

/** A record of an agent, or of a user. */
export type Owned = { agentId: string } | { uid: string };

/** Returns a function from records to the users who own them; undefined for users who are deleted or being deleted. Two round trips. */
export const loadOwners = async (
  records: Owned[],
  { credentials, users }: ServicesOf<typeof ownerServices>,
): Promise<(record: Owned) => string | undefined> => {
  const agentIds = records.flatMap((record) => ('agentId' in record ? [record.agentId] : []));
  const uids = records.flatMap((record) => ('uid' in record ? [record.uid] : []));
  const owners = await credentials.findOwners(agentIds);
  const known = await users.findMany([...uids, ...owners.values()]);
  return (record) => {
    const uid = 'uid' in record ? record.uid : owners.get(record.agentId);
    return uid !== undefined && known.has(uid) ? uid : undefined;
  };
};
