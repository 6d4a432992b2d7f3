import * as z from 'zod/mini';
import { describe } from '../../domain/describe.ts';
import { HmacAlgorithm } from '../../domain/hook-secrets.ts';
import { limits } from '../../domain/limits.ts';
import { list } from '../../domain/list.ts';
import { text } from '../../domain/text.ts';
import { platformNames, platformTitles } from '../../domain/voice-platforms.ts';
import { listTitles, platforms } from '../platforms/platforms.ts';

export const titlesOfPublicKeys = listTitles(({ secret }) => secret.field === 'publicKey');
const titlesOfAlgorithms = listTitles(({ secret }) => secret.hasAlgorithm === true);
const titlesOfParameters = listTitles(({ secret }) => secret.hasParameters === true);
const customHeaders = platformNames.flatMap((name) => {
  const { customHeader } = platforms[name].secret;
  return customHeader ? [{ title: platformTitles[name], ...customHeader }] : [];
});

/** A public key of Ed25519: 32 bytes. */
const publicKeyForm = /^[A-Za-z0-9+/]{43}=$/;

/** The fields of a secret, with the platforms that have each of them. */
export const HookSecretFields = {
  secret: z.optional(
    z
      .string()
      .check(
        z.regex(/^[\x21-\x7e]+$/, { error: 'must be visible ASCII without spaces' }),
        z.minLength(limits.minHookSecretCharacters),
        z.maxLength(limits.hookSecretCharacters),
        describe(
          `The secret with which the platform signs, or which it sends: for every platform but ${titlesOfPublicKeys}.`,
          '7b1f0c5e9d2a4836b7c0d1e2f3a49586',
        ),
      ),
  ),
  publicKey: z.optional(
    z
      .string()
      .check(
        z.regex(publicKeyForm, { error: 'must be the 32 bytes of an Ed25519 key in base64' }),
        describe(
          `${titlesOfPublicKeys}: the public key of the account.`,
          'eu2zvPjhY6odxV34Z/EsRiERvTodkev4Fq0SlK90Izg=',
        ),
      ),
  ),
  header: z.optional(
    z.string().check(
      z.regex(/^[A-Za-z0-9-]{1,64}$/, { error: 'must be the name of a header, without a colon' }),
      z.refine((name) => !['authorization', 'x-authorization', 'cookie', 'host'].includes(name.toLowerCase()), {
        error: 'must be a custom header',
      }),
      describe(
        customHeaders
          .map(({ title, holds, name }) => `${title}: the header that holds ${holds} (default: \`${name}\`).`)
          .join(' '),
        'x-signature',
      ),
    ),
  ),
  parameters: z.optional(
    list(text(1, limits.hookParameterCharacters), { max: limits.hookParameters, items: 'names' }).check(
      describe(
        `${titlesOfParameters}: the names of your own parameters of the Voice SDK that do not begin with a small letter. A form with another name that ${titlesOfParameters} does not document is refused. Send them again with each change.`,
        ['PhoneNumber'],
      ),
    ),
  ),
  algorithm: z.optional(
    HmacAlgorithm.check(describe(`${titlesOfAlgorithms}: the hash of the signature (default: \`sha256\`).`, 'sha256')),
  ),
};
