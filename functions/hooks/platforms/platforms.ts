import { elevenlabs } from './elevenlabs.ts';
import type { Platform } from './platform.ts';
import { retell } from './retell.ts';
import { telnyx } from './telnyx.ts';
import { twilio } from './twilio.ts';
import { vapi } from './vapi.ts';

/** The voice platforms by path. A new platform needs a file and a line here. */
export const platforms = { twilio, vapi, retell, elevenlabs, telnyx } satisfies Record<string, Platform>;

export type PlatformName = keyof typeof platforms;

export const isPlatformName = (name: string): name is PlatformName => Object.hasOwn(platforms, name);
