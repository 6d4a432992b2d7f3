import { describe, expect } from 'vitest';
import { itInAnyHistory } from '../support/any-history.ts';
import { newHookSecret } from '../support/hook-signers.ts';
import { genuineHook, mutatedHook } from '../support/random-hooks.ts';
import { sendSigned } from '../support/signed-hooks.ts';
import { newWorld } from '../support/world.ts';

const newUserWithSecret = async (platform: string) => {
  const { call, uid, agentId } = await newWorld();
  const { secret, fields } = newHookSecret(platform);
  await call('PUT', `/hook-secrets/${platform}`, { body: { uid, ...fields } });
  return { uid, agentId, secret };
};

/** Works on many at once, as platforms send. */
const times = async (runs: number, work: () => Promise<void>) => {
  const each = async (count: number) => {
    for (let run = 0; run < count; run++) await work();
  };
  await Promise.all(Array.from({ length: 10 }, () => each(Math.ceil(runs / 10))));
};

describe.each(['twilio', 'vapi', 'retell', 'elevenlabs', 'telnyx'])('%s', (platform) => {
  itInAnyHistory(
    `a webhook of ${platform} that was changed after it was signed, or that another secret signed, is refused`,
    [20, 300],
    async (runs) => {
      const [user, other] = await Promise.all([newUserWithSecret(platform), newUserWithSecret(platform)]);
      const seen = new Map<string, number>();
      await times(runs, async () => {
        const { what, sent } = await mutatedHook(platform, { user, other });
        const { status, text } = await sendSigned(sent);
        seen.set(what, (seen.get(what) ?? 0) + 1);
        expect([status, what], JSON.stringify([sent, text])).toEqual([401, what]);
      });
      if (runs >= 2000) expect(Math.min(...seen.values())).toBeGreaterThan(20);
    },
  );

  itInAnyHistory(
    `a signed webhook of ${platform} is accepted with any fields and any address`,
    [20, 300],
    async (runs) => {
      const user = await newUserWithSecret(platform);
      await times(runs, async () => {
        const sent = await genuineHook(platform, user);
        const { status, text } = await sendSigned(sent);
        expect(status, JSON.stringify([sent, text])).toBe(200);
      });
    },
  );
});
