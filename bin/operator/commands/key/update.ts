import { judgeKeyStatus, Scope } from '../../../../functions/domain/api-keys.ts';
import { KeyName } from '../../../../functions/domain/listed-api-keys.ts';
import { as } from '../../../command-line/arguments.ts';
import { CommandError, exitCodes } from '../../../command-line/exit-codes.ts';
import { print } from '../../../command-line/output.ts';
import { futureOrNever } from '../../../command-line/times.ts';
import { describeKey } from '../../keys/describe-key.ts';
import { existingKey, keyCommand } from '../../keys/existing-key.ts';
import { requestsPerMinuteOrNone } from '../../keys/requests-per-minute.ts';
import { requireScopesTogether, toScopes } from '../../keys/scopes.ts';
import type { Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const updateKey = (key: Group) =>
  keyCommand(key, 'key update', 'Change the name, scopes, expiry or limit of a key', [
    'key_01KAM… --scope calls',
    '--uid acme key_01KAM… --expires 7d',
    'key_01KAM… --requests-per-minute 600',
  ])
    .option('--name <name>', 'what the key is for', as(KeyName))
    .option('--scope <scope...>', `what the key may do from now on: ${Scope.options.join(', ')}`, toScopes)
    .option('--expires <when>', 'a date, a date-time or a duration such as 30d, or never', futureOrNever)
    .option('--requests-per-minute <number>', 'the limit of the key, or none', requestsPerMinuteOrNone)
    .action(async (keyId, _, command) => {
      const options = command.optsWithGlobals();
      const { name, scope, expires, requestsPerMinute: limit } = options;
      if ([name, scope, expires, limit].every((given) => given === undefined)) {
        const choice = '--name, --scope, --expires or --requests-per-minute';
        throw new CommandError(`Nothing to change. Use ${choice}.`, exitCodes.usage);
      }
      requireScopesTogether(scope);
      const stores = await openStores(options);
      const { uid } = await existingKey(stores, keyId, options.uid);
      const change = {
        name,
        scopes: scope,
        expiresAt: expires === 'never' ? null : expires,
        requestsPerMinute: limit === 'none' ? null : limit,
      };
      const updated = await stores.apiKeys.change(uid, keyId, change);
      if (!updated) throw new CommandError(`Key ${keyId} was deleted in the meantime.`);
      print(options, { ...updated, status: judgeKeyStatus(updated) }, () => describeKey(updated));
    });
