import { Option } from '@commander-js/extra-typings';
import { identifier } from '../../../command-line/arguments.ts';
import { CommandError, exitCodes } from '../../../command-line/exit-codes.ts';
import { print, table } from '../../../command-line/output.ts';
import { duration } from '../../../command-line/times.ts';
import { existingUser } from '../../existing.ts';
import { type KeyUsage, keyUsage } from '../../keys/usage.ts';
import { addCommand, type Group } from '../../program.ts';
import { type GlobalOptions, openStores } from '../../stores.ts';

export const showKeyUsage = (key: Group) =>
  addCommand(key, 'key usage', 'Show how often and when the keys of a deployment were used, from its request log', [
    '--stack voice-agents-prod',
    '--stack voice-agents-prod --uid acme --since 7d',
  ])
    .option('--uid <uid>', 'only the keys of this user, including unused ones', identifier)
    .addOption(
      new Option('--since <duration>', 'how far to look back, such as 7d')
        .argParser(duration)
        .default(duration('30d'), '30d'),
    )
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { stack, region, uid, since } = options;
      if (!stack) throw new CommandError('--stack is required: usage is read from its request log.', exitCodes.usage);
      const used = await keyUsage(stack, Date.now() - since, region);
      const keys = uid ? await withUnused(options, uid, used) : used;
      print(options, { keys }, () =>
        table(
          keys,
          {
            KEY: 'keyId',
            USER: 'uid',
            REQUESTS: 'requests',
            REJECTED: 'refused',
            FAILED: 'failed',
            'LAST USED': ({ lastUsedAt }) => lastUsedAt ?? 'not in this period',
          },
          uid ? `User ${uid} has no keys.` : 'No key was used in this period.',
        ),
      );
    });

/** Returns the usage of one user's keys, including unused ones. */
const withUnused = async (options: GlobalOptions, uid: string, used: KeyUsage[]): Promise<KeyUsage[]> => {
  const { users, apiKeys } = await openStores(options);
  await existingUser(users, uid);
  const theirs = used.filter((one) => one.uid === uid);
  const unused = (await apiKeys.list(uid)).filter(({ keyId }) => !theirs.some((one) => one.keyId === keyId));
  return [...theirs, ...unused.map(({ keyId }) => ({ keyId, uid, requests: 0, refused: 0, failed: 0 }))];
};
