import { Option } from '@commander-js/extra-typings';
import type { SignatureFault } from '../../../../functions/domain/hook-secrets.ts';
import { type PlatformName, platforms } from '../../../../functions/hooks/platforms/platforms.ts';
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
      const advice = lastRefused && advices[lastRefused.reason];
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

/** Advice on how to fix a refused request, by the reason for the refusal. */
const advices: Record<SignatureFault, string> = {
  address:
    'The platform signed another address. Enter exactly the one that "hooks url" prints: its scheme, its host, and its query in the same order and spelling.',
  body: 'The body is not the one that was signed, or it is a form of Twilio with a field that Twilio does not document. A proxy between the platform and the service must not change bodies.',
  time: 'The time of the signature was more than five minutes off. Find out what delays or repeats the requests.',
  secret:
    'There was no signature by a secret that is set. Check that the platform signs, and with the secret of this account; if it does, the address or the body was changed on its way.',
};
