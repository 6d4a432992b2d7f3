import * as z from 'zod/mini';
import { sealedSecrets } from '../clients/sealed-secrets.ts';
import { toNamedKey } from '../domain/change-maker.ts';
import { now } from '../domain/date-time.ts';
import { invalidField, noSuchPlatform } from '../domain/errors.ts';
import { examples } from '../domain/examples.ts';
import { PlatformInPath } from '../domain/hook-secrets.ts';
import { Uid } from '../domain/identifiers.ts';
import { PlatformKeyFields, SetPlatformKey } from '../domain/platform-keys.ts';
import { isPlatformName } from '../domain/voice-platforms.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { platformKeyOwner, platformKeys } from '../reconciliation/platform-keys.ts';

const example = { uid: examples.uid, apiKey: '5f0c1d9e-7b3a-4c52-8e6f-2a1b3c4d5e6f' };

/** Sets the key with which the service reads a platform's list of calls. */
export const setPlatformKey = endpoint({
  name: 'setPlatformKey',
  method: 'PUT',
  path: '/platform-keys/{platform}',
  summary: 'Set the key of a voice platform',
  description:
    'Sets the API key with which the service reads the list of calls of a voice platform, to find calls whose end never arrived. A new key replaces the former one immediately. The key is stored encrypted, and is never returned. Use a key with the fewest permissions that the platform offers.',
  caller: { kind: 'key', scope: 'agents', user: ({ body: { uid } }) => ({ uid }) },
  services: { platformKeys: platformKeys.for('set'), sealedSecrets },
  params: z.object({ platform: PlatformInPath }),
  body: z.object({ uid: Uid, ...PlatformKeyFields }).check(z.meta({ examples: [example] })),
  response: SetPlatformKey,
  errors: ['not_found'],

  async handle({ principal, params: { platform }, body: { uid, apiKey, accountId } }, { platformKeys, sealedSecrets }) {
    if (!isPlatformName(platform)) throw noSuchPlatform();
    const hasAccounts = platform === 'twilio' || platform === 'telnyx';
    if (hasAccounts && accountId === undefined) throw invalidField('accountId', `is required for ${platform}`);
    if (!hasAccounts && accountId !== undefined) throw invalidField('accountId', 'is only for twilio and telnyx');
    const sealed = await sealedSecrets.seal(platformKeyOwner(uid, platform), apiKey);
    const set = { platform, createdAt: now(), ...toNamedKey(principal) };
    await platformKeys.set(uid, { ...set, accountId, sealed });
    return set;
  },
});

export const handler = lambda(setPlatformKey);
