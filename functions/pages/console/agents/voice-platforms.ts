import type { Agent } from '../../../openapi/client/client.ts';

export type Platform = NonNullable<Agent['configuration']['platform']>;
export type PlatformName = Platform['name'];

/** The names of the voice platforms for people, with what `assistantIds` are there. */
export const voicePlatforms: Record<PlatformName, { title: string; assistants: string }> = {
  vapi: { title: 'Vapi', assistants: 'Assistant IDs at Vapi' },
  retell: { title: 'Retell', assistants: 'Agent IDs at Retell' },
  elevenlabs: { title: 'ElevenLabs', assistants: 'Agent IDs at ElevenLabs' },
  twilio: { title: 'Twilio', assistants: 'Phone numbers, or their SIDs' },
  telnyx: { title: 'Telnyx', assistants: 'Phone numbers' },
};
