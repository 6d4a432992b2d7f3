import * as z from 'zod/mini';
import { KeyName } from './change-maker.ts';
import { timestamp } from './date-time.ts';
import { describe, describedObject, textField } from './describe.ts';
import { limits } from './limits.ts';

/** Why a signed request is refused: the address, the body, the time (five minutes) or the secret is another one. */
export const SignatureFault = z.enum(['address', 'body', 'time', 'secret']);
export type SignatureFault = z.infer<typeof SignatureFault>;

/** The hash of an HMAC. */
export const HmacAlgorithm = z.enum(['sha256', 'sha512', 'sha1']);
export type HmacAlgorithm = z.infer<typeof HmacAlgorithm>;

/** The path variable of a platform. Any other name is an unknown platform, not an invalid request. */
export const PlatformInPath = textField('The voice platform, as in `/hooks/{platform}`.', 'vapi');

/** A public key of Ed25519: 32 bytes. */
const publicKeyForm = /^[A-Za-z0-9+/]{43}=$/;

export const HookSecretFields = {
  secret: z.optional(
    z
      .string()
      .check(
        z.regex(/^[\x21-\x7e]+$/, { error: 'must be visible ASCII without spaces' }),
        z.minLength(limits.minHookSecretCharacters),
        z.maxLength(limits.hookSecretCharacters),
        describe(
          'The secret with which the platform signs, or which it sends: for every platform but Telnyx.',
          '7b1f0c5e9d2a4836b7c0d1e2f3a49586',
        ),
      ),
  ),
  publicKey: z.optional(
    z
      .string()
      .check(
        z.regex(publicKeyForm, { error: 'must be the 32 bytes of an Ed25519 key in base64' }),
        describe('Telnyx: the public key of the account.', 'eu2zvPjhY6odxV34Z/EsRiERvTodkev4Fq0SlK90Izg='),
      ),
  ),
  header: z.optional(
    z.string().check(
      z.regex(/^[A-Za-z0-9-]{1,64}$/, { error: 'must be the name of a header, without a colon' }),
      z.refine((name) => !['authorization', 'x-authorization', 'cookie', 'host'].includes(name.toLowerCase()), {
        error: 'must be a custom header',
      }),
      describe(
        'Vapi: the header of the signature (default: `x-signature`). ElevenLabs: the header that holds the secret when a conversation begins (default: `x-hook-secret`).',
        'x-signature',
      ),
    ),
  ),
  algorithm: z.optional(
    HmacAlgorithm.check(describe('Vapi: the hash of the signature (default: `sha256`).', 'sha256')),
  ),
};

/** The secret of a platform, without its value. */
export const ListedHookSecret = z.object({
  platform: textField('The voice platform.', 'twilio'),
  createdAt: timestamp('When the secret was set.'),
  keyId: textField('The API key that set it.', 'key_01KB3R2C5D0A2C4E6G8J0M2P4R'),
  keyName: KeyName,
  formerUntil: z.optional(timestamp('Until when a replaced secret is accepted, too.')),
  lastUsedAt: z.optional(timestamp('When a signed request was last accepted, to within an hour.')),
  lastRefused: z.optional(
    describedObject('The last request that was refused.', {
      at: timestamp('When.'),
      reason: SignatureFault.check(
        describe(
          'What did not fit: the `address` that was signed, the `body`, the `time` (5 minutes), or the `secret`, also where there is no signature.',
          'address',
        ),
      ),
    }),
  ),
});
export type ListedHookSecret = z.infer<typeof ListedHookSecret>;
