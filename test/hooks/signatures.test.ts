import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { sealedSecrets } from '../../functions/clients/sealed-secrets.ts';
import type { PlatformName } from '../../functions/domain/voice-platforms.ts';
import { platforms } from '../../functions/hooks/platforms/platforms.ts';
import { type HookSecretItem, hookSecretOwner } from '../../functions/hooks/secrets/hook-secrets.ts';
import { signedHooks } from '../../functions/hooks/secrets/signed-hooks.ts';
import { hookSecretKey } from '../../functions/store/keys.ts';
import { itInAnyHistory } from '../support/any-history.ts';
import { newHookSecret, type SentHook } from '../support/hook-signers.ts';
import { genuineHook, type HookUser, mutatedHook } from '../support/random-hooks.ts';
import { signedHook } from '../support/signed-hooks.ts';
import { unique, useTargetInThisProcess } from '../support/world.ts';

useTargetInThisProcess();
process.env.WEBHOOK_ENCRYPTION_KEY = 'the key of these tests';
afterEach(() => vi.useRealTimers());

type Owner = HookUser & { item: HookSecretItem };

/** Returns a user whose secret of the platform the service has stored. */
const newOwner = async (platform: PlatformName): Promise<Owner> => {
  const uid = unique('user');
  const { secret, fields } = newHookSecret(platform);
  const sealed = await sealedSecrets.get().seal(hookSecretOwner(uid, platform), Object.values(fields)[0] ?? '');
  const secrets = [{ sealed, createdAt: '2026-03-01T10:00:00.000Z', keyId: 'key_1' }];
  return {
    uid,
    agentId: 'front-desk',
    secret,
    item: { ...hookSecretKey(uid, platform), platform, secrets, version: '1' },
  };
};

/** Returns true if the service takes a request for one that the user whom its address names has signed. */
const isAccepted = async (platform: PlatformName, { address, headers, body }: SentHook, owners: Owner[]) => {
  const [path = '', rawQueryString = ''] = address.split('?');
  const query = Object.fromEntries(new URLSearchParams(rawQueryString));
  const event = {
    rawPath: path.slice(path.indexOf('/hooks/')),
    rawQueryString,
    queryStringParameters: query,
    pathParameters: { platform },
    headers,
    body,
    isBase64Encoded: false,
  } as unknown as APIGatewayProxyEventV2;
  const owner = owners.find(({ uid }) => uid === query.uid) as Owner;
  return signedHooks.mayBeSigned(event) && signedHooks.isSigned(event, owner.item);
};

describe.each(['twilio', 'vapi', 'retell', 'elevenlabs', 'telnyx'] as const)('%s', (platform) => {
  itInAnyHistory(
    `a webhook of ${platform} that was changed after it was signed, or that another secret signed, is refused`,
    [100, 3000],
    async (runs) => {
      const [user, other] = [await newOwner(platform), await newOwner(platform)];
      const seen = new Map<string, number>();
      for (let run = 0; run < runs; run++) {
        const { what, sent } = await mutatedHook(platform, { user, other });
        seen.set(what, (seen.get(what) ?? 0) + 1);
        expect([await isAccepted(platform, sent, [user, other]), what], JSON.stringify(sent)).toEqual([false, what]);
      }
      if (runs >= 2000) expect(Math.min(...seen.values())).toBeGreaterThan(20);
    },
  );

  itInAnyHistory(
    `a signed webhook of ${platform} is accepted with any fields and any address`,
    [100, 3000],
    async (runs) => {
      const user = await newOwner(platform);
      for (let run = 0; run < runs; run++) {
        const sent = await genuineHook(platform, user);
        expect(await isAccepted(platform, sent, [user]), JSON.stringify(sent)).toBe(true);
      }
    },
  );
});

it.each(['vapi', 'retell', 'elevenlabs', 'telnyx'] as const)(
  'a signature of %s is good for five minutes before and after its time',
  (platform) => {
    const { secret, fields } = newHookSecret(platform);
    const at = Date.now();
    const { body, headers } = signedHook(platform, { query: {}, body: { event: 'call_ended' }, secret, at });
    const request = { origin: '', path: '', query: '', headers, body: Buffer.from(body) };
    vi.useFakeTimers({ toFake: ['Date'] });
    const faultsAt = [-302, -298, 298, 302].map((seconds) => {
      vi.setSystemTime(at + seconds * 1000);
      return platforms[platform].verify(request)({ secret: Object.values(fields)[0] ?? '' });
    });
    expect(faultsAt).toEqual(['time', undefined, undefined, 'time']);
  },
);
