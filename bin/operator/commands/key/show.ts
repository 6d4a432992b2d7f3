import { judgeKeyStatus } from '../../../../functions/domain/api-keys.ts';
import { print } from '../../../command-line/output.ts';
import { describeKey } from '../../keys/describe-key.ts';
import { existingKey, keyCommand } from '../../keys/existing-key.ts';
import type { Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const showKey = (key: Group) =>
  keyCommand(key, 'key show', 'Show a key, without its secret', ['key_01KAM…']).action(async (keyId, _, command) => {
    const options = command.optsWithGlobals();
    const stores = await openStores(options);
    const found = await existingKey(stores, keyId, options.uid);
    const status = judgeKeyStatus(found);
    print(options, { ...found, status }, () => describeKey(found));
  });
