import type { ApiKey } from '../../../functions/domain/api-keys.ts';
import type { ApiKeys } from '../../../functions/store/api-keys.ts';
import { CommandError } from '../../command-line/exit-codes.ts';

export const existingKey = async (apiKeys: ApiKeys, uid: string, keyId: string): Promise<ApiKey> => {
  const found = await apiKeys.find(uid, keyId);
  if (!found) throw noSuchKey(uid, keyId);
  return found;
};

export const noSuchKey = (uid: string, keyId: string) => new CommandError(`User ${uid} has no key ${keyId}.`);
