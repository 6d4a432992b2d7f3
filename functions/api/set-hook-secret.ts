import * as z from 'zod/mini';
import { sealedSecrets } from '../clients/sealed-secrets.ts';
import type { Scope } from '../domain/api-keys.ts';
import { toNamedKey } from '../domain/change-maker.ts';
import { now, timestamp } from '../domain/date-time.ts';
import { describedObject, textField } from '../domain/describe.ts';
import { invalidField, noSuchPlatform } from '../domain/errors.ts';
import { examples } from '../domain/examples.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { PlatformInPath } from '../domain/hook-secrets.ts';
import { Uid } from '../domain/identifiers.ts';
import { isPlatformName, type PlatformName } from '../domain/voice-platforms.ts';
import type { Platform } from '../hooks/platforms/platform.ts';
import { platforms } from '../hooks/platforms/platforms.ts';
import { hookSecretOwner, hookSecrets, type SealedHookSecret } from '../hooks/secrets/hook-secrets.ts';
import { HookSecretFields, titlesOfPublicKeys } from '../hooks/secrets/secret-fields.ts';
import { hasScope } from '../http/authorize.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';

const example = { secret: '7b1f0c5e9d2a4836b7c0d1e2f3a49586', header: 'x-signature', algorithm: 'sha256' as const };
const Body = z
  .object({ uid: Uid, ...HookSecretFields })
  .check(z.meta({ examples: [{ uid: examples.uid, ...example }] }));
type Fields = Omit<z.infer<typeof Body>, 'uid'>;

/** Sets the secret by which the webhooks of a voice platform are recognized. A replaced secret is accepted for another 24 hours. */
export const setHookSecret = endpoint({
  name: 'setHookSecret',
  method: 'PUT',
  path: '/hook-secrets/{platform}',
  summary: 'Set the secret of a voice platform',
  description: `Sets the \`secret\` with which a voice platform signs its webhooks, or the \`publicKey\` of ${titlesOfPublicKeys}. From then on \`POST /hooks/{platform}\` accepts requests for this user only with a signature by it, or with an API key in a header: no key in the address. A replaced secret is accepted for another ${formatLimit('replacedSecretSeconds')}; at most five are in force at a time. A signature may do what the scope \`hooks\` allows, and search the knowledge if the API key that sets the secret has the scope \`knowledge\`. The secret is stored encrypted, and never shown. Some of these secrets are credentials of the whole account at the platform: see the guide.`,
  caller: { kind: 'key', scope: 'agents', user: ({ body: { uid } }) => ({ uid }) },
  services: { hookSecrets: hookSecrets.for('set'), sealedSecrets },
  params: z.object({ platform: PlatformInPath }),
  body: Body,
  response: describedObject('The secret, without its value.', {
    platform: textField('The voice platform.', 'twilio'),
    createdAt: timestamp('When the secret was set. A secret that is set again stays as it is.'),
  }),
  errors: ['not_found', 'quota_exceeded'],

  async handle({ principal, params: { platform }, body: { uid, ...fields } }, { hookSecrets, sealedSecrets }) {
    if (!isPlatformName(platform)) throw noSuchPlatform();
    const secret = readSecret(platform, fields);
    const owner = hookSecretOwner(uid, platform);
    const { algorithm, parameters } = fields;
    const header = fields.header?.toLowerCase();
    const sealed = await sealedSecrets.seal(owner, secret);
    // A signature gets no knowledge that the caller may not read.
    const scopes: Scope[] = hasScope(principal, 'knowledge') ? ['hooks', 'knowledge'] : ['hooks'];
    const made = { sealed, scopes, header, algorithm, parameters, createdAt: now(), ...toNamedKey(principal) };
    const isSame = async (newest: SealedHookSecret) =>
      newest.header === header &&
      newest.algorithm === algorithm &&
      newest.scopes?.length === scopes.length &&
      (await sealedSecrets.open(owner, newest.sealed)) === secret;
    const { createdAt } = await hookSecrets.set(uid, platform, made, isSame);
    return { platform, createdAt };
  },
});

/** Returns the secret for a platform. Throws for fields that the platform does not have. */
const readSecret = (platform: PlatformName, { header, algorithm, parameters, ...given }: Fields): string => {
  const { secret }: Platform = platforms[platform];
  const value = given[secret.field];
  const unused = secret.field === 'secret' ? 'publicKey' : 'secret';
  if (value === undefined) throw invalidField(secret.field, `is required for ${platform}`);
  if (given[unused] !== undefined) throw invalidField(unused, `is not for ${platform}`);
  if (header !== undefined && !secret.customHeader) throw invalidField('header', `is not for ${platform}`);
  if (algorithm !== undefined && !secret.hasAlgorithm) throw invalidField('algorithm', `is not for ${platform}`);
  if (parameters !== undefined && !secret.hasParameters) throw invalidField('parameters', `is not for ${platform}`);
  return value;
};

export const handler = lambda(setHookSecret);
