import { Option } from '@commander-js/extra-typings';
import { signatureAdvice } from '../../../../functions/domain/signature-advice.ts';
import type { PlatformName } from '../../../../functions/domain/voice-platforms.ts';
import { platforms } from '../../../../functions/hooks/platforms/platforms.ts';
import { identifier } from '../../../command-line/arguments.ts';
import { CommandError, exitCodes } from '../../../command-line/exit-codes.ts';
import { print, record } from '../../../command-line/output.ts';
import { existingUser } from '../../existing.ts';
import { addCommand, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const verifyHooks = (hooks: Group) =>
  addCommand(
    hooks,
    'hooks verify',
    'Show when the last signed webhook of a voice platform was accepted, and why one was refused',
    ['--platform twilio --uid acme'],
  )
    .addOption(
      new Option('--platform <platform>', 'the voice platform')
        .choices(Object.keys(platforms) as PlatformName[])
        .makeOptionMandatory(),
    )
    .requiredOption('--uid <uid>', 'the user, as the address names it', identifier)
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { platform, uid } = options;
      const { users, hookSecrets } = await openStores(options);
      await existingUser(users, uid);
      const secret = await hookSecrets.find(uid, platform);
      if (!secret) {
        throw new CommandError(
          `User ${uid} has no secret of ${platform}, whose webhooks need an API key until PUT /hook-secrets/${platform} sets one.`,
          exitCodes.failed,
          'not_found',
        );
      }
      const { lastRefused } = secret;
      const advice = lastRefused && signatureAdvice[lastRefused.reason];
      print(options, { uid, ...secret, advice }, () =>
        [
          record({
            platform,
            user: uid,
            set: secret.createdAt,
            'by key': secret.keyId,
            'former until': secret.formerUntil,
            'last accepted': secret.lastUsedAt ?? 'never',
            'last refused': lastRefused
              ? `${lastRefused.at} (${[lastRefused.reason, lastRefused.field].filter(Boolean).join(': ')})`
              : 'never',
          }),
          ...(advice ? [advice] : []),
        ].join('\n\n'),
      );
    });
