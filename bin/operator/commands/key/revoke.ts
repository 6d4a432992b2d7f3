import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { as } from '../../../command-line/arguments.ts';
import { print } from '../../../command-line/output.ts';
import { existingKey, userOfKey } from '../../keys/existing-key.ts';
import { describeMade, madeByKey } from '../../keys/made-by-key.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const revokeKey = (key: Group) =>
  key
    .command('revoke')
    .description('Revoke a key at once, and list the records that it made')
    .argument('<keyId>', 'the id of the key', as(Identifier))
    .option(...userOfKey)
    .addHelpText('after', examples('key revoke key_01KAM…'))
    .action(async (keyId, _, command) => {
      const options = command.optsWithGlobals();
      const stores = await openStores(options);
      const { uid } = await existingKey(stores, keyId, options.uid);
      await stores.apiKeys.revoke(uid, keyId);
      const { revokedAt } = await existingKey(stores, keyId, uid);
      const made = await madeByKey(stores, { uid, keyId });
      print(
        options,
        { keyId, uid, revokedAt, made },
        () => `Key ${keyId} is revoked (${revokedAt}).\n\n${describeMade(made)}`,
      );
    });
