import { sealedSecrets } from '../clients/sealed-secrets.ts';
import { invalidSignature, userSuspended } from '../domain/errors.ts';
import type { Refusal } from '../domain/hook-secrets.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import { environment } from '../environment.ts';
import type { SignedRequests } from '../http/endpoint.ts';
import { describeError, log } from '../log.ts';
import { type HookSecretItem, hookSecretLookup, hookSecretOwner, hookSecrets, secretsInForce } from './hook-secrets.ts';
import { isPlatformName, platforms } from './platforms.ts';
import type { SignedRequest } from './signatures.ts';

/** The requests of voice platforms, which sign with a secret of the user whom their address names. */
export const signedHooks: SignedRequests<HookSecretItem> = {
  services: { hookSecrets: hookSecrets.for('noteUse', 'noteRefusal'), sealedSecrets },

  mayBeSigned({ pathParameters, headers }) {
    const { platform = '' } = pathParameters ?? {};
    return isPlatformName(platform) && platforms[platform].signatureHeaders.some((name) => headers[name] !== undefined);
  },

  lookup({ pathParameters, queryStringParameters }) {
    const [platform = '', uid = ''] = [pathParameters?.platform, queryStringParameters?.uid];
    return isPlatformName(platform) && isIdentifier(uid) ? hookSecretLookup(uid, platform) : undefined;
  },

  refusal: ({ pathParameters, queryStringParameters }) =>
    invalidSignature({
      reason: 'secret',
      platform: pathParameters?.platform as string,
      uid: queryStringParameters?.uid as string,
    }),

  async verify(event, item) {
    const { platform } = item;
    const uid = event.queryStringParameters?.uid as string;
    const request: SignedRequest = {
      origin: environment.publicUrl,
      path: event.rawPath,
      query: event.rawQueryString,
      headers: event.headers,
      body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
    };
    const verify = platforms[platform].verify(request);
    let refused: Refusal = 'secret';
    for (const { sealed, header, algorithm, scopes } of secretsInForce(item)) {
      const secret = await sealedSecrets.get().open(hookSecretOwner(uid, platform), sealed);
      const refusal = verify({ secret, header, algorithm });
      const isAttestationUnsigned = refusal === 'unattested';
      if (refusal === undefined || isAttestationUnsigned) {
        if (item.suspended) throw userSuspended();
        const noted = note(hookSecrets.get().noteUse(item));
        const keyId = `signature:${platform}`;
        return { principal: { uid, keyId, scopes: scopes ?? ['hooks'], isAttestationUnsigned }, noted };
      }
      if (refusal !== 'secret') refused = refusal;
    }
    await note(hookSecrets.get().noteRefusal(item, refused));
    throw invalidSignature({ reason: refused, platform, uid });
  },
};

/** Waits for a write that the request does not depend on. */
const note = (writing: Promise<void>) =>
  writing.catch((error: Error) => log('warn', { operation: 'noteHookSecret', cause: describeError(error) }));
