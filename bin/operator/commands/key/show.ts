import { judgeKeyStatus } from '../../../../functions/domain/api-keys.ts';
import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { as } from '../../../command-line/arguments.ts';
import { print } from '../../../command-line/output.ts';
import { describeKey } from '../../keys/describe-key.ts';
import { existingKey, userOfKey } from '../../keys/existing-key.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const showKey = (key: Group) =>
  key
    .command('show')
    .description('Show a key, without its secret')
    .argument('<keyId>', 'the id of the key', as(Identifier))
    .option(...userOfKey)
    .addHelpText('after', examples('key show key_01KAM…'))
    .action(async (keyId, _, command) => {
      const options = command.optsWithGlobals();
      const stores = await openStores(options);
      const found = await existingKey(stores, keyId, options.uid);
      const status = judgeKeyStatus(found);
      print(options, { ...found, status }, () => describeKey(found));
    });
