import type { PlatformName } from '../../domain/voice-platforms.ts';
import { elevenlabs } from './elevenlabs.ts';
import type { CallList } from './list.ts';
import { retell } from './retell.ts';
import { telnyx, twilio } from './twilio.ts';
import { vapi } from './vapi.ts';

/** The platforms' lists of calls. */
export const callLists: Record<PlatformName, CallList> = { twilio, vapi, retell, elevenlabs, telnyx };
