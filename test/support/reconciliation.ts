import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { type PlatformCall, startVoicePlatforms, type VoicePlatforms } from '../../bin/local/voice-platforms.ts';
import { sealedSecrets } from '../../functions/clients/sealed-secrets.ts';
import { newUlid } from '../../functions/domain/identifiers.ts';
import type { PlatformName } from '../../functions/domain/voice-platforms.ts';
import { reconcileCalls } from '../../functions/jobs/reconcile-calls.ts';
import { platformKeyOwner, platformKeys } from '../../functions/reconciliation/platform-keys.ts';
import { reconciliations, toReconciliation } from '../../functions/reconciliation/reconciliations.ts';
import { reconcileServices, runReconciliation } from '../../functions/reconciliation/run-reconciliation.ts';
import { lazyServices } from '../../functions/service.ts';
import { agentChanges } from '../../functions/store/agents/agent-changes.ts';
import { deliverMessage } from './deliver-message.ts';
import { ended, request } from './erasures.ts';
import { buildEnd, own } from './platform-calls.ts';
import { send } from './voice-platforms.ts';
import { newWorld } from './world.ts';

export const minute = 60_000;
export const hour = 60 * minute;
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
  const world = await newWorld(['agents', 'calls', 'hooks', 'privacy', 'block-list']);
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
  const setKey = () => platformKeys.get().set(uid, { platform, ...setBy, accountId, sealed });
  await setKey();
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
  /** A pass of the clock. Calls that ended before `comparedUntil` were compared by an earlier one. */
  const reconcileHourly = async (comparedUntil: number) => {
    const reconciliationId = `reconciliation_${newUlid()}`;
    const hourly = { to: new Date().toISOString(), comparedUntil };
    await deliverMessage(reconcileCalls, { job: 'reconcileCalls', uid, agentId, reconciliationId, hourly });
    return find(reconciliationId);
  };
  const listCalls = async () => (await world.call('GET', `/calls/${agentId}`)).body.calls;
  /** Reports the end of a call to the hook. */
  const reportEnd = (call: PlatformCall, query: { agentId?: string | undefined } = { agentId }) =>
    send(world, platform, { query, body: buildEnd(platform, call) });
  const erase = async (number: string) => {
    const { body } = await request(world, number);
    expect((await ended(world, body.erasureId)).status).toBe('done');
  };
  return {
    ...world,
    account,
    setKey,
    reportEnd,
    erase,
    reconcileHourly,
    begin,
    find,
    reconcile,
    listCalls,
    apiKeyOfPlatform: apiKey,
  };
};

/** One run of a reconciliation. */
export const run = async (agentId: string, reconciliationId: string, until = Date.now() + minute) =>
  runReconciliation(
    await reconciliations.get().find(agentId, reconciliationId),
    until,
    lazyServices(reconcileServices),
  );
