import * as z from 'zod/mini';
import { KeyName } from './change-maker.ts';
import { timestamp } from './date-time.ts';
import { describe, describedObject, listField, textField } from './describe.ts';

/** Why a signed request is refused: the address, the body, the time (five minutes) or the secret is another one. */
export const SignatureFault = z.enum(['address', 'body', 'time', 'secret']);
export type SignatureFault = z.infer<typeof SignatureFault>;

/** Why a request is refused, and with `body` the field that is the cause, if it is one. */
export type SignatureRefusal = { reason: SignatureFault; field?: string };

/** The hash of an HMAC. */
export const HmacAlgorithm = z.enum(['sha256', 'sha512', 'sha1']);
export type HmacAlgorithm = z.infer<typeof HmacAlgorithm>;

/** The path variable of a platform. Any other name is an unknown platform, not an invalid request. */
export const PlatformInPath = textField('The voice platform, as in `/hooks/{platform}`.', 'vapi');

/** The secret of a platform, without its value. */
export const ListedHookSecret = z.object({
  platform: textField('The voice platform.', 'twilio'),
  createdAt: timestamp('When the secret was set.'),
  keyId: textField('The API key that set it.', 'key_01KB3R2C5D0A2C4E6G8J0M2P4R'),
  keyName: KeyName,
  parameters: z.optional(
    listField(z.string(), 'The names of your own parameters, which its forms may have.', ['PhoneNumber']),
  ),
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
      field: z.optional(
        textField(
          'With `body`: the field of the form that is repeated, not documented, or could be another.',
          'PhoneNumber',
        ),
      ),
    }),
  ),
});
export type ListedHookSecret = z.infer<typeof ListedHookSecret>;
