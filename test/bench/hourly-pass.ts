import { startVoicePlatforms } from '../../bin/local/voice-platforms.ts';
import { sealedSecrets } from '../../functions/clients/sealed-secrets.ts';
import { now } from '../../functions/domain/date-time.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import type { PlatformName } from '../../functions/domain/voice-platforms.ts';
import { reconcileCalls } from '../../functions/jobs/reconcile-calls.ts';
import { platformKeyOwner, platformKeys } from '../../functions/reconciliation/platform-keys.ts';
import { deliverMessage } from '../support/deliver-message.ts';
import { own, platformCall } from '../support/platform-calls.ts';
import type { Figure } from './benchmark.ts';
import type { World } from './world.ts';

const hour = 60 * 60 * 1000;
const callsOfDay = 1000;
/** ElevenLabs lists at most 100 conversations on a page, and a pass lists 26 hours: see functions/decisions/0041. */
const maxPlatformRequests: Record<PlatformName, number> = { vapi: 3, retell: 3, elevenlabs: 11, twilio: 3, telnyx: 3 };
const maxTableRequests = 10;

/** Counts the requests of an hourly pass over an agent in whose calls nothing is missing: to the platform, and to the table. */
export const measureHourlyPasses = async ({ proxy, directly, uid, newAgent }: World): Promise<Figure[]> => {
  const platforms = await startVoicePlatforms();
  const figures: Figure[] = [];
  for (const platform of ['vapi', 'retell', 'elevenlabs', 'twilio', 'telnyx'] as const) {
    process.env[`${platform.toUpperCase()}_API_BASE`] = platforms.endpoint;
    const calls = Array.from({ length: Math.round((callsOfDay * 26) / 24) }, (_, n) =>
      platformCall(platform, {
        id: `call-${n}`,
        startedAt: Date.now() - 5 * 60_000 - Math.floor((n * 24 * hour) / callsOfDay),
      }),
    );
    const [apiKey, accountId] = ['key', 'AC0123'];
    platforms.accounts[platform] = { apiKey, accountId, calls };
    const agentId = await newAgent();
    const assistantIds = [platform === 'twilio' || platform === 'telnyx' ? own : 'assistant-1'];
    await directly.agentChanges.change(uid, agentId, (agent) => ({
      ...agent,
      configuration: { platform: { name: platform, assistantIds, reconcile: true } },
    }));
    const sealed = await sealedSecrets.get().seal(platformKeyOwner(uid, platform), apiKey);
    await platformKeys.get().set(uid, { platform, accountId, sealed, createdAt: now(), keyId: 'key_1' });
    const pass = (comparedUntil?: number) => {
      const message = { job: 'reconcileCalls', uid, agentId, reconciliationId: newIdentifier('reconciliation') };
      return deliverMessage(reconcileCalls, { ...message, hourly: { to: now(), comparedUntil } });
    };
    // The first pass records them.
    await pass();
    await platformKeys.get().set(uid, { platform, accountId, sealed, createdAt: now(), keyId: 'key_1' });
    platforms.requests.length = 0;
    await proxy.take();
    await pass(Date.now() - hour);
    const toTable = (await proxy.take()).filter(({ service }) => service === 'dynamodb').length;
    const toPlatform = platforms.requests.length;
    const max = maxPlatformRequests[platform];
    const what = `an hourly pass, ${callsOfDay.toLocaleString('en')} calls a day at ${platform}`;
    figures.push(
      {
        what: `${what}: requests to the platform`,
        ours: { value: toPlatform, unit: 'requests' },
        target: { text: `≤ ${max}`, reached: toPlatform <= max },
      },
      {
        what: `${what}: requests to the table`,
        ours: { value: toTable, unit: 'requests' },
        target: { text: `≤ ${maxTableRequests}`, reached: toTable <= maxTableRequests },
      },
    );
  }
  await platforms.stop();
  return figures;
};
