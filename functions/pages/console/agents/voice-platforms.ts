import { platformTitles } from '../../../domain/voice-platforms.ts';
import type { Agent } from '../../../openapi/client/client.ts';

export type Platform = NonNullable<Agent['configuration']['platform']>;
export type PlatformName = Platform['name'];

/** The names of the voice platforms for people, with what `assistantIds` are there. */
export const voicePlatforms: Record<PlatformName, { title: string; assistants: string }> = {
  vapi: { title: platformTitles.vapi, assistants: 'Assistant IDs at Vapi' },
  retell: { title: platformTitles.retell, assistants: 'Agent IDs at Retell' },
  elevenlabs: { title: platformTitles.elevenlabs, assistants: 'Agent IDs at ElevenLabs' },
  twilio: { title: platformTitles.twilio, assistants: 'Phone numbers, or their SIDs' },
  telnyx: { title: platformTitles.telnyx, assistants: 'Phone numbers' },
};

/** Returns true if the last signed request was refused. The service notes an accepted one at most once an hour. */
export const isRefused = ({ lastRefused, lastUsedAt }: { lastRefused?: { at: string }; lastUsedAt?: string }) =>
  lastRefused !== undefined && (lastUsedAt === undefined || lastUsedAt < lastRefused.at);
