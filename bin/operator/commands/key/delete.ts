import { isUsable } from '../../../../functions/domain/api-keys.ts';
import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { as } from '../../../command-line/arguments.ts';
import { CommandError } from '../../../command-line/exit-codes.ts';
import { print } from '../../../command-line/output.ts';
import { sayUnconfirmed } from '../../confirmation.ts';
import { describeKey } from '../../keys/describe-key.ts';
import { existingKey, userOfKey } from '../../keys/existing-key.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const deleteKey = (key: Group) =>
  key
    .command('delete')
    .description('Delete the record of a key that is revoked or expired')
    .argument('<keyId>', 'the id of the key', as(Identifier))
    .option(...userOfKey)
    .option('--yes', 'delete it (default: only show it)')
    .addHelpText('after', examples('key delete key_01KAM… --yes'))
    .action(async (keyId, _, command) => {
      const options = command.optsWithGlobals();
      const { yes = false } = options;
      const stores = await openStores(options);
      const found = await existingKey(stores, keyId, options.uid);
      const { uid } = found;
      if (isUsable(found)) throw new CommandError(`Key ${keyId} is still valid. Revoke it first with "key revoke".`);
      if (yes) await stores.apiKeys.delete(uid, keyId);
      print(options, { keyId, uid, deleted: yes }, () => (yes ? `Key ${keyId} deleted.` : describeKey(found)));
      if (!yes) sayUnconfirmed('deleted');
    });
