import { judgeKeyStatus, Scope } from '../../../../functions/domain/api-keys.ts';
import { KeyName } from '../../../../functions/domain/listed-api-keys.ts';
import { as } from '../../../command-line/arguments.ts';
import { CommandError, exitCodes } from '../../../command-line/exit-codes.ts';
import { print } from '../../../command-line/output.ts';
import { futureOrNever } from '../../../command-line/times.ts';
import { describeKey } from '../../keys/describe-key.ts';
import { existingKey, keyCommand } from '../../keys/existing-key.ts';
import { requireScopesTogether, toScopes } from '../../keys/scopes.ts';
import type { Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const updateKey = (key: Group) =>
  keyCommand(key, 'key update', 'Change the name, scopes or expiry of a key', [
    'key_01KAM… --scope calls',
    '--uid acme key_01KAM… --expires 7d',
  ])
    .option('--name <name>', 'what the key is for', as(KeyName))
    .option('--scope <scope...>', `what the key may do from now on: ${Scope.options.join(', ')}`, toScopes)
    .option('--expires <when>', 'a date, a date-time or a duration such as 30d, or never', futureOrNever)
    .action(async (keyId, _, command) => {
      const options = command.optsWithGlobals();
      const { name, scope, expires } = options;
      if (name === undefined && scope === undefined && expires === undefined) {
        throw new CommandError('Nothing to change. Use --name, --scope or --expires.', exitCodes.usage);
      }
      requireScopesTogether(scope);
      const stores = await openStores(options);
      const { uid } = await existingKey(stores, keyId, options.uid);
      const change = { name, scopes: scope, expiresAt: expires === 'never' ? null : expires };
      const updated = await stores.apiKeys.change(uid, keyId, change);
      if (!updated) throw new CommandError(`Key ${keyId} was deleted in the meantime.`);
      print(options, { ...updated, status: judgeKeyStatus(updated) }, () => describeKey(updated));
    });
