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

type Use = { lastRefused?: { at: string } | undefined; lastUsedAt?: string | undefined };

/** Returns true if a secret or key was refused and has not been accepted since. The service notes a use at most once an hour. */
export const isRefused = ({ lastRefused, lastUsedAt }: Use) =>
  lastRefused !== undefined && (lastUsedAt === undefined || lastUsedAt < lastRefused.at);
