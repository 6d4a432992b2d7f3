import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { as } from '../../../command-line/arguments.ts';
import { print } from '../../../command-line/output.ts';
import { existingKey } from '../../keys/existing-key.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const revokeKey = (key: Group) =>
  key
    .command('revoke')
    .description('Revoke a key at once')
    .argument('<keyId>', 'the id of the key', as(Identifier))
    .requiredOption('--uid <uid>', 'the user of the key', as(Identifier))
    .addHelpText('after', examples('key revoke --uid acme key_01KAM…'))
    .action(async (keyId, _, command) => {
      const options = command.optsWithGlobals();
      const { apiKeys } = await openStores(options);
      await apiKeys.revoke(options.uid, keyId);
      const { revokedAt } = await existingKey(apiKeys, options.uid, keyId);
      print(options, { keyId, uid: options.uid, revokedAt }, () => `Key ${keyId} is revoked (${revokedAt}).`);
    });
