import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { ApiKey } from '../../../functions/domain/api-keys.ts';
import { apiKeyKey } from '../../../functions/store/keys.ts';
import { identifier } from '../../command-line/arguments.ts';
import { CommandError, exitCodes } from '../../command-line/exit-codes.ts';
import { addCommand, type Group } from '../program.ts';
import { scan } from '../scan.ts';
import type { Stores } from '../stores.ts';

/** Adds a command about a key. `lines` are examples without the path. */
export const keyCommand = (key: Group, path: string, description: string, lines: string[]) =>
  addCommand(key, path, description, lines)
    .argument('<keyId>', 'the id of the key', identifier)
    .option(
      '--uid <uid>',
      'the user of the key (default: the one who has it, which reads the whole table)',
      identifier,
    );

/** Finds a key of the user `uid`, or only by its id in the whole table. Fails if there is none. */
export const existingKey = async (stores: Stores, keyId: string, uid?: string): Promise<ApiKey> => {
  const user = uid ?? (await findUserOfKey(stores, keyId));
  const found = user === undefined ? undefined : await stores.apiKeys.find(user, keyId);
  if (found) return found;
  const message = uid ? `User ${uid} has no key ${keyId}.` : `There is no key ${keyId}.`;
  throw new CommandError(message, exitCodes.failed, 'key_not_found');
};

/** Reads the whole table, because keys have no index by id. Looking up a leaked key from a log is rare. */
const findUserOfKey = async ({ table }: Stores, keyId: string): Promise<string | undefined> => {
  let uid: string | undefined;
  const input = {
    FilterExpression: 'sk = :sk and keyId = :keyId',
    ExpressionAttributeValues: { ':sk': { S: apiKeyKey('').sk }, ':keyId': { S: keyId } },
  };
  await scan(table, table.name, input, async ([item]) => {
    if (item) uid = (unmarshall(item) as ApiKey).uid;
  });
  return uid;
};
