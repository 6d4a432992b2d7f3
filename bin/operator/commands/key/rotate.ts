import { Option } from '@commander-js/extra-typings';
import { findKeyEnd } from '../../../../functions/domain/api-keys.ts';
import { planRotation } from '../../../../functions/domain/key-grants.ts';
import { CommandError } from '../../../command-line/exit-codes.ts';
import { print } from '../../../command-line/output.ts';
import { duration, future } from '../../../command-line/times.ts';
import { describeCreated, withSecret } from '../../keys/describe-key.ts';
import { existingKey, keyCommand } from '../../keys/existing-key.ts';
import type { Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const rotateKey = (key: Group) =>
  keyCommand(key, 'key rotate', 'Replace a key with a new one of the same name and scopes', [
    'key_01KAM…',
    '--uid acme key_01KAM… --overlap 7d --expires 52w',
  ])
    .addOption(
      new Option('--overlap <duration>', 'how long the old key stays valid, such as 7d; 0s revokes it at once')
        .argParser(duration)
        .default(duration('24h'), '24h'),
    )
    .option('--expires <when>', 'when the new key expires (default: when the old one does)', future)
    .action(async (keyId, _, command) => {
      const options = command.optsWithGlobals();
      const stores = await openStores(options);
      const { apiKeys } = stores;
      const old = await existingKey(stores, keyId, options.uid);
      const { uid } = old;
      if (old.revokedAt) throw new CommandError(`Key ${keyId} is already rotated or revoked (${old.revokedAt}).`);
      const rotation = planRotation(old, options.overlap, options.expires);
      if (!rotation) {
        throw new CommandError(`Key ${keyId} expired at ${old.expiresAt}. Give the new key an expiry with --expires.`);
      }
      const created = await apiKeys.rotate(uid, keyId, rotation);
      if (!created) throw new CommandError(`Key ${keyId} was rotated or revoked in the meantime.`);
      const endsAt = findKeyEnd({ ...old, revokedAt: rotation.endsAt });
      print(options, { ...withSecret(created), replaces: { keyId, endsAt } }, () => {
        const end = options.overlap === 0 ? 'is revoked' : `stays valid until ${endsAt}`;
        return `${describeCreated(created)}\n\nThe old key ${keyId} ${end}.`;
      });
    });
