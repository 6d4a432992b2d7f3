import { isUsable } from '../../../../functions/domain/api-keys.ts';
import { CommandError } from '../../../command-line/exit-codes.ts';
import { print } from '../../../command-line/output.ts';
import { sayUnconfirmed } from '../../confirmation.ts';
import { describeKey } from '../../keys/describe-key.ts';
import { existingKey, keyCommand } from '../../keys/existing-key.ts';
import type { Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const deleteKey = (key: Group) =>
  keyCommand(key, 'key delete', 'Delete the record of a key that is revoked or expired', ['key_01KAM… --yes'])
    .option('--yes', 'delete it (default: only show it)')
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
