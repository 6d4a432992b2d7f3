import { randomBytes } from 'node:crypto';
import { type PlatformCall, startVoicePlatforms, type VoicePlatforms } from '../../bin/local/voice-platforms.ts';
import { sealedSecrets } from '../../functions/clients/sealed-secrets.ts';
import { newUlid } from '../../functions/domain/identifiers.ts';
import type { PlatformName } from '../../functions/hooks/platforms/platforms.ts';
import { platformKeyOwner, platformKeys } from '../../functions/reconciliation/platform-keys.ts';
import { reconciliations, toReconciliation } from '../../functions/reconciliation/reconciliations.ts';
import { reconcileServices, runReconciliation } from '../../functions/reconciliation/run-reconciliation.ts';
import { lazyServices } from '../../functions/service.ts';
import { agentChanges } from '../../functions/store/agents/agent-changes.ts';
import { newWorld } from './world.ts';

export const minute = 60_000;
export const hour = 60 * minute;
export const [own, other] = ['+14155550123', '+14155550100'];

const overStatus: Record<PlatformName, string> = {
  vapi: 'ended',
  retell: 'ended',
  elevenlabs: 'done',
  twilio: 'completed',
  telnyx: 'completed',
};

/** A call of 65 seconds at a platform, by default an hour ago. */
export const platformCall = (platform: PlatformName, more: Partial<PlatformCall> = {}): PlatformCall => {
  const startedAt = more.startedAt ?? Math.floor((Date.now() - hour) / 1000) * 1000;
  const fields = {
    id: `c-${newUlid()}`,
    assistantId: 'assistant-1',
    own,
    other,
    startedAt,
    endedAt: startedAt + 65_000,
  };
  return { ...fields, status: overStatus[platform], ...more };
};

/** Starts platforms whose lists this process reads, with a key of its own. */
export const startPlatforms = async (): Promise<VoicePlatforms> => {
  const platforms = await startVoicePlatforms();
  for (const name of ['VAPI', 'RETELL', 'ELEVENLABS', 'TWILIO', 'TELNYX'])
    process.env[`${name}_API_BASE`] = platforms.endpoint;
  process.env.WEBHOOK_ENCRYPTION_KEY ??= randomBytes(32).toString('base64');
  return platforms;
};

/** A world whose agent is at a platform, with that platform's calls. */
export const newReconciledWorld = async (
  platforms: VoicePlatforms,
  platform: PlatformName,
  { assistantIds = ['assistant-1'], calls = [] }: { assistantIds?: string[]; calls?: PlatformCall[] } = {},
) => {
  const world = await newWorld();
  const { uid, agentId } = world;
  const apiKey = `platform-key-${newUlid()}`;
  const accountId = platform === 'twilio' || platform === 'telnyx' ? 'AC0123' : undefined;
  const account = { apiKey, accountId, calls: [...calls] };
  platforms.accounts[platform] = account;
  await agentChanges.get().change(uid, agentId, (agent) => ({
    ...agent,
    phoneNumber: own,
    configuration: { platform: { name: platform, assistantIds } },
  }));
  const sealed = await sealedSecrets.get().seal(platformKeyOwner(uid, platform), apiKey);
  const setBy = { createdAt: new Date().toISOString(), keyId: 'key_1' };
  await platformKeys.get().set(uid, { platform, ...setBy, accountId, sealed });
  const begin = async (more: { dryRun?: boolean; from?: number; to?: number; comparedUntil?: number } = {}) => {
    const { from = Date.now() - 26 * hour, to = Date.now(), dryRun = false, comparedUntil } = more;
    const reconciliationId = `reconciliation_${newUlid()}`;
    const time = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    const hourly = comparedUntil === undefined ? {} : { comparedUntil, isHourly: true as const };
    await reconciliations
      .get()
      .add({ reconciliationId, agentId, uid, platform, assistantIds, number: own, ...time, dryRun, ...hourly });
    return reconciliationId;
  };
  const find = async (reconciliationId: string) => {
    const found = await reconciliations.get().find(agentId, reconciliationId);
    if (!found) throw new Error('There is no such reconciliation.');
    return toReconciliation(found);
  };
  /** Runs a reconciliation to its end, and returns it. */
  const reconcile = async (more: Parameters<typeof begin>[0] = {}) => {
    const reconciliationId = await begin(more);
    while (await run(agentId, reconciliationId));
    return find(reconciliationId);
  };
  const listCalls = async () => (await world.call('GET', `/calls/${agentId}`)).body.calls;
  return { ...world, account, begin, find, reconcile, listCalls, apiKeyOfPlatform: apiKey };
};

/** One run of a reconciliation. */
export const run = (agentId: string, reconciliationId: string, until = Date.now() + minute) =>
  runReconciliation({ agentId, reconciliationId }, until, lazyServices(reconcileServices));
