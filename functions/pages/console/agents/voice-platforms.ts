import type { Agent } from '../../../openapi/client/client.ts';

export type Platform = NonNullable<Agent['configuration']['platform']>;
export type PlatformName = Platform['name'];

/** The names of the voice platforms for people, with what `assistantIds` are there. */
export const voicePlatforms: Record<PlatformName, { title: string; assistants: string }> = {
  vapi: { title: 'Vapi', assistants: 'The ids of its assistants at Vapi' },
  retell: { title: 'Retell', assistants: 'The ids of its agents at Retell' },
  elevenlabs: { title: 'ElevenLabs', assistants: 'The ids of its agents at ElevenLabs' },
  twilio: { title: 'Twilio', assistants: 'Its phone numbers, or their SIDs' },
  telnyx: { title: 'Telnyx', assistants: 'Its phone numbers' },
};
