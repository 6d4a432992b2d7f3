import type { PlatformName } from '../../hooks/platforms/platforms.ts';
import { elevenlabs } from './elevenlabs.ts';
import type { CallList } from './list.ts';
import { retell } from './retell.ts';
import { telnyx, twilio } from './twilio.ts';
import { vapi } from './vapi.ts';

/** The platforms' lists of calls. */
export const callLists: Record<PlatformName, CallList> = { twilio, vapi, retell, elevenlabs, telnyx };

/** The names of the platforms for people. */
export const platformTitles: Record<PlatformName, string> = {
  twilio: 'Twilio',
  vapi: 'Vapi',
  retell: 'Retell',
  elevenlabs: 'ElevenLabs',
  telnyx: 'Telnyx',
};
