import * as z from 'zod/mini';
import { KeyName } from './change-maker.ts';
import { timestamp } from './date-time.ts';
import { describe, describedObject, integerField, textField } from './describe.ts';
import { limits } from './limits.ts';

/** What reads a platform's list of calls: an API key, at Twilio and Telnyx with the account that it reads. */
export const PlatformKeyFields = {
  apiKey: z
    .string()
    .check(
      z.regex(/^[\x21-\x7e]+$/, { error: 'must be visible ASCII without spaces' }),
      z.maxLength(limits.platformKeyCharacters),
      describe(
        'The API key of the platform. Twilio: the auth token of the account, or an API key as `SK…:secret`.',
        '5f0c1d9e-7b3a-4c52-8e6f-2a1b3c4d5e6f',
        { minLength: 1 },
      ),
    ),
  accountId: z.optional(
    z
      .string()
      .check(
        z.regex(/^[A-Za-z0-9-]{1,64}$/, { error: 'must be 1 to 64 of A-Z a-z 0-9 -' }),
        describe('Twilio, Telnyx: the account SID. Required there.', 'AC0123456789abcdef0123456789abcdef'),
      ),
  ),
};

const platform = textField('The voice platform.', 'vapi');
const createdAt = timestamp('When the key was set.');
const setBy = { keyId: textField('The API key that set it.', 'key_01KB3R2C5D0A2C4E6G8J0M2P4R'), keyName: KeyName };

/** The key of a platform that was set, without its value. */
export const SetPlatformKey = describedObject('The key, without its value.', { platform, createdAt, ...setBy });

/** The key of a platform, without its value. */
export const ListedPlatformKey = z.object({
  platform,
  createdAt,
  ...setBy,
  accountId: z.optional(textField('Twilio, Telnyx: the account.', 'AC0123456789abcdef0123456789abcdef')),
  lastUsedAt: z.optional(timestamp('When the platform last accepted the key, to within an hour.')),
  lastRefused: z.optional(
    describedObject('The last time that the platform refused the key.', {
      at: timestamp('When.'),
      status: integerField('The status of its response: 401 or 403.', 401),
    }),
  ),
});
export type ListedPlatformKey = z.infer<typeof ListedPlatformKey>;
