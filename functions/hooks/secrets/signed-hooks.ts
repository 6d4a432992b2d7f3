import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { sealedSecrets } from '../../clients/sealed-secrets.ts';
import { invalidSignature } from '../../domain/errors.ts';
import type { SignatureRefusal } from '../../domain/hook-secrets.ts';
import { isIdentifier } from '../../domain/identifiers.ts';
import { limits } from '../../domain/limits.ts';
import { activeSecrets } from '../../domain/rotating-secrets.ts';
import { cut, withoutControlCharacters } from '../../domain/text.ts';
import { isPlatformName } from '../../domain/voice-platforms.ts';
import { environment } from '../../environment.ts';
import type { Principal, SignedRequests } from '../../http/endpoint.ts';
import { describeError, log } from '../../log.ts';
import type { Platform } from '../platforms/platform.ts';
import { platforms } from '../platforms/platforms.ts';
import { type HookSecretItem, hookSecretLookup, hookSecretOwner, hookSecrets } from './hook-secrets.ts';
import type { SignedRequest } from './signatures.ts';

/** Requests that platforms sign with a secret of the addressed user. */
export const signedHooks: SignedRequests<HookSecretItem> = {
  services: { hookSecrets: hookSecrets.for('noteUse', 'noteRefusal'), sealedSecrets },

  mayBeSigned({ pathParameters, headers }) {
    const { platform = '' } = pathParameters ?? {};
    if (!isPlatformName(platform)) return false;
    const { secret }: Platform = platforms[platform];
    if (secret.headers.some((name) => headers[name] !== undefined)) return true;
    return secret.customHeader !== undefined && Object.entries(headers).some(mayBeCustomSignature);
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

  isSigned: async (event, item) => !('refused' in (await check(event, item))),

  async verify(event, item) {
    const { platform } = item;
    const uid = event.queryStringParameters?.uid as string;
    const checked = await check(event, item);
    if ('refused' in checked) {
      await note(hookSecrets.get().noteRefusal(item, checked.refused));
      throw invalidSignature({ ...checked.refused, platform, uid });
    }
    const pendingWrite = note(hookSecrets.get().noteUse(item));
    const principal = { uid, keyId: `signature:${platform}`, budgetMark: item.budgetMark, ...checked };
    return { principal, pendingWrite, isSuspended: item.suspended };
  },
};

/** Headers of HTTP clients, proxies and this deployment, which hold no secret of a platform. */
const usualHeader =
  /^(accept|accept-.*|baggage|cache-control|cdn-.*|cf-.*|cloudfront-.*|connection|content-.*|cookie|date|dnt|expect|forwarded|host|idempotency-key|if-.*|keep-alive|origin|pragma|priority|range|referer|sec-.*|te|trace.*|transfer-encoding|upgrade.*|user-agent|via|x-amz.*|x-call-id|x-correlation-id|x-edge-.*|x-forwarded-.*|x-origin-.*|x-real-ip|x-request-id|x-timestamp)$/;

/** Checks whether a header may be the one that a user has chosen, which only the stored secret names. */
const mayBeCustomSignature = ([name, value = '']: [string, string | undefined]): boolean =>
  !usualHeader.test(name) && value.length >= limits.minHookSecretCharacters && !/[^\x21-\x7e]/.test(value);

type Signed = Pick<Principal, 'scopes' | 'isAttestationUnsigned'>;

/** Returns what a signed request may do, or why it is refused. */
const check = async (
  event: APIGatewayProxyEventV2,
  item: HookSecretItem,
): Promise<Signed | { refused: SignatureRefusal }> => {
  const { platform } = item;
  const owner = hookSecretOwner(event.queryStringParameters?.uid as string, platform);
  const request: SignedRequest = {
    origin: environment.publicUrl,
    path: event.rawPath,
    query: event.rawQueryString,
    headers: event.headers,
    body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  };
  const verify = platforms[platform].verify(request);
  let refused: SignatureRefusal = { reason: 'secret' };
  for (const { sealed, header, algorithm, parameters, scopes } of activeSecrets(item.secrets)) {
    const refusal = verify({ secret: await sealedSecrets.get().open(owner, sealed), header, algorithm, parameters });
    const isAttestationUnsigned = refusal === 'unattested';
    if (refusal === undefined || isAttestationUnsigned) {
      // Only a key with this scope sets a secret.
      return { scopes: [...(scopes ?? ['hooks']), 'agents'], isAttestationUnsigned };
    }
    if (refusal !== 'secret') refused = typeof refusal === 'string' ? { reason: refusal } : refuseField(refusal);
  }
  return { refused };
};

/** Describes the field of a body. Its name is as a stranger may have sent it. */
const refuseField = ({ field }: { field?: string }): SignatureRefusal => ({
  reason: 'body',
  field: field ? cut(withoutControlCharacters(field.toWellFormed()), limits.hookParameterCharacters) : undefined,
});

/** Waits for a write that the request does not depend on. */
const note = (writing: Promise<void>) =>
  writing.catch((error: Error) => log('warn', { operation: 'noteHookSecret', cause: describeError(error) }));
