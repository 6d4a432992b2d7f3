import { setTimeout as sleep } from 'node:timers/promises';
import { sealedSecrets } from '../../../functions/clients/sealed-secrets.ts';
import { toRecording } from '../../../functions/domain/call-outcomes.ts';
import { chunks } from '../../../functions/domain/chunks.ts';
import { now } from '../../../functions/domain/date-time.ts';
import { newIdentifier } from '../../../functions/domain/identifiers.ts';
import { type ApiClient, dataOf } from '../../../functions/openapi/client/client.ts';
import { calls } from '../../../functions/store/calls/calls.ts';
import { newEndpointSecret } from '../../../functions/webhooks/secrets.ts';
import { webhookEndpoints } from '../../../functions/webhooks/webhook-endpoints.ts';
import { keepFile, readKeptFile } from '../kept-files.ts';
import type { Started } from '../started.ts';
import type { VoicePlatforms } from '../voice-platforms.ts';
import {
  demoCalls,
  demoPlatform,
  demoSplit,
  demoTimeZone,
  doNotCall,
  findLostCalls,
  listPlatformCalls,
} from './demo-calls.ts';
import { demoClient, demoPhoneNumber, type LocalDemo } from './demo-data.ts';
import {
  demoConsents,
  demoDisclosure,
  demoPurpose,
  demoRules,
  demoTranscript,
  demoTranscriptDays,
} from './demo-people.ts';
import { brokenPdf, handbook, registryFile } from './demo-texts.ts';

/** The remaining part of the history. A run that ends early leaves its file, and the next run continues. */
type Progress = { days: number; until: number; keyId?: string; outboundId?: string; left: Step[] };
type Step = keyof typeof steps;
type Context = {
  demo: LocalDemo;
  api: ApiClient;
  progress: Progress;
  platforms: VoicePlatforms | undefined;
  signal: AbortSignal;
};

const { name, apiKey, assistantId } = demoPlatform;
const recordSeconds = 60;
const callsPerWrite = 200;

/**
 * Adds the history of the demo user's agents in the background: calls of these days with outcomes, and everything else that the
 * console shows. It is added once, to new demo data only.
 */
export const startDemoHistory = (options: {
  demo: LocalDemo;
  isNew: boolean;
  days: number;
  baseUrl: string;
  /** Fakes of voice platforms, unless the run uses others. */
  platforms: VoicePlatforms | undefined;
  /** The file that keeps the progress. Without it, the history ends with the run. */
  file: string | undefined;
}): Started => {
  const { demo, isNew, days, baseUrl, platforms, file } = options;
  const stopping = new AbortController();
  const running = async () => {
    const progress = readProgress(isNew && days > 0 ? { days, until: Date.now(), left: stepNames } : undefined, file);
    const context = { demo, api: demoClient(demo, baseUrl), progress, platforms, signal: stopping.signal };
    openPlatform(context);
    for (const step of [...progress.left]) {
      await steps[step](context);
      openPlatform(context);
      if (stopping.signal.aborted) return;
      progress.left = progress.left.filter((one) => one !== step);
      keep(progress, file);
    }
  };
  const ended = running().catch((error: Error) => {
    if (!stopping.signal.aborted) console.error(`Part of the demo data is missing: ${error.message}`);
  });
  return {
    async stop() {
      stopping.abort();
      // The database stops at the same time, and a write would be retried for a minute.
      await Promise.race([ended, sleep(1000)]);
    },
  };
};

/** Gives the fake platform the calls of the agent at it, as soon as they are known. */
const openPlatform = ({ demo, progress, platforms }: Context): void => {
  const { outboundId, days, until } = progress;
  if (!platforms || outboundId === undefined) return;
  const made = demoCalls({ inboundId: demo.agentId, outboundId }, days, until);
  platforms.accounts[name] = { apiKey, calls: listPlatformCalls(made, demoPhoneNumber, until) };
};

const nothing: Progress = { days: 0, until: 0, left: [] };

const readProgress = (made: Progress | undefined, file: string | undefined): Progress => {
  if (made) keep(made, file);
  return made ?? readKeptFile<Progress>(file) ?? nothing;
};

const keep = (progress: Progress, file: string | undefined) => {
  if (file) keepFile(file, JSON.stringify(progress));
};

/** The parts of the history, in order. Each can be repeated, because a killed run may have completed only a part. */
const steps = {
  /**
   * Adds an endpoint whose deliveries fail: its address is on this machine, to which the service refuses to connect. The
   * endpoint is written to the store, because the operation also refuses the address.
   */
  async webhooks({ demo: { uid }, progress, api }: Context) {
    const { keyId } = dataOf(await api.key.get());
    progress.keyId = keyId;
    if ((await webhookEndpoints.get().list(uid)).length > 0) return;
    const endpointId = newIdentifier('endpoint');
    const sealed = await sealedSecrets.get().seal(endpointId, newEndpointSecret());
    await webhookEndpoints.get().add(uid, {
      endpointId,
      url: 'https://127.0.0.1/webhooks/voice-agents',
      keyId,
      active: true,
      createdAt: now(),
      events: ['agent.*', 'website.*', 'document.*'],
      description: 'An example of an endpoint that fails: webhooks are not sent to addresses that are not public.',
      secrets: [{ sealed, createdBy: 'demo', keyId }],
    });
  },

  async agents({ demo: { agentId }, progress, api, platforms }: Context) {
    progress.outboundId ??= dataOf(
      await api.agents.create(
        {
          name: 'Check-up reminders',
          configuration: {
            greeting: 'Hello, this is Example Dental. It is time for a check-up.',
            instructions: 'Offer an appointment for a check-up. Be brief.',
            language: 'en-US',
            voice: 'warm',
            timeZone: demoTimeZone,
            blockOnOutcomes: [doNotCall],
            valueCurrency: 'USD',
            calling: {
              hours: { from: '09:00', to: '18:00' },
              attempts: [{ max: 2, hours: 24 }],
              consent: { purpose: demoPurpose },
            },
            disclosure: demoDisclosure,
          },
        },
        { idempotencyKey: `demo-${progress.until}` },
      ),
    ).agentId;
    await api.agents.update({
      agentId,
      configuration: {
        greeting: 'Hello, this is Example Dental. How can I help you?',
        instructions: 'Make, move and cancel appointments. Answer questions from the knowledge.',
        timeZone: demoTimeZone,
        valueCurrency: 'USD',
        disclosure: demoDisclosure,
        callerHistory: { calls: 3 },
        transcripts: { keepDays: demoTranscriptDays },
        platform: platforms ? { name, assistantIds: [assistantId] } : undefined,
      },
    });
    if (platforms) await api.platformKeys.set({ platform: name, apiKey });
    await api.agents.update({
      agentId: progress.outboundId,
      configuration: {
        greeting: 'Hello, this is Example Dental. Your last check-up was six months ago. Shall I find you a time?',
      },
      note: 'The first version did not say why it calls.',
    });
    await api.agents.setTraffic({ agentId: progress.outboundId, split: demoSplit });
  },

  async calls({ demo: { uid, agentId }, progress, platforms, signal }: Context) {
    const { days, until, outboundId = '', keyId = '' } = progress;
    const access = { owner: uid, outcomeRules: { blockOnOutcomes: [doNotCall] } };
    const made = demoCalls({ inboundId: agentId, outboundId }, days, until);
    const lost = new Set(platforms ? findLostCalls(made) : []);
    // Newest first, as views show them.
    const all = made.filter((call) => !lost.has(call)).reverse();
    for (const batch of chunks(all, callsPerWrite)) {
      signal.throwIfAborted();
      const recordings = batch.map(({ outcomeAt, ...call }) =>
        toRecording(call, access, { uid, keyId, at: outcomeAt }),
      );
      const results = await calls.get().recordMany(recordings, Date.now() + recordSeconds * 1000);
      const failed = results.find((result) => result instanceof Error);
      if (failed) throw failed;
    }
  },

  async 'blocked numbers'({ progress: { outboundId = '' }, api }: Context) {
    // The areas differ from those of the calls, whose numbers are blocked by outcomes.
    const day = 24 * 60 * 60 * 1000;
    const expiresAt = new Date(Date.now() + 30 * day).toISOString();
    await api.userBlockList.add({ numbers: ['+12095550147'], reason: 'Threatened a colleague on the phone' });
    await api.userBlockList.add({ numbers: ['+18315550117'], reason: 'Silent calls at night', expiresAt });
    await api.blockList.add({ agentId: outboundId, numbers: ['+15305550138'], reason: 'Asked for letters only' });
    await api.blockList.importFile({ reason: 'Do-not-call registry' }, new Blob([registryFile]));
  },

  /** Adds what the page of a person shows, rules of the block list, and a call whose transcript is kept. */
  async 'consents and transcripts'({ demo: { agentId, phone }, progress: { until }, api }: Context) {
    await api.consents.record({ consents: demoConsents(phone) });
    await api.blockList.setRules(demoRules);
    const { callId, ...call } = demoTranscript(phone, until);
    await api.calls.record({ agentId, callIdOrPhone: callId, ...call });
  },

  async documents({ demo: { agentId }, api }: Context) {
    await api.documents.uploadFiles({ agentId }, [
      { name: 'Handbook for the front desk.md', content: handbook },
      { name: 'Insurance form.pdf', content: brokenPdf },
    ]);
  },
} satisfies Record<string, (context: Context) => Promise<void>>;

const stepNames = Object.keys(steps) as Step[];
