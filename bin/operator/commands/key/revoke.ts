import { dataOf } from '../../../../functions/openapi/client/client.ts';
import { serviceOption } from '../../../command-line/connection.ts';
import { interruption } from '../../../command-line/interruption.ts';
import { print } from '../../../command-line/output.ts';
import { existingKey, keyCommand } from '../../keys/existing-key.ts';
import { describeMade, madeByKey } from '../../keys/made-by-key.ts';
import type { Group } from '../../program.ts';
import { asUser } from '../../service.ts';
import { openStores } from '../../stores.ts';

export const revokeKey = (key: Group) =>
  keyCommand(key, 'key revoke', 'Revoke a key at once, and list the records that it made', ['key_01KAM…'])
    .option(...serviceOption)
    .action(async (keyId, _, command) => {
      const options = command.optsWithGlobals();
      const stores = await openStores(options);
      const { uid } = await existingKey(stores, keyId, options.uid);
      using stop = interruption();
      await asUser(options, { ...stores, uid, scope: 'keys' }, stop.signal, async (api) =>
        dataOf(await api.keys.revoke({ uid, keyId })),
      );
      const { revokedAt } = await existingKey(stores, keyId, uid);
      const made = await madeByKey(stores, { uid, keyId });
      print(
        options,
        { keyId, uid, revokedAt, made },
        () => `Key ${keyId} is revoked (${revokedAt}).\n\n${describeMade(made)}`,
      );
    });
