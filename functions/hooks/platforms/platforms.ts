import { type PlatformName, platformNames, platformTitles } from '../../domain/voice-platforms.ts';
import { elevenlabs } from './elevenlabs.ts';
import type { Platform } from './platform.ts';
import { retell } from './retell.ts';
import { telnyx } from './telnyx.ts';
import { twilio } from './twilio.ts';
import { vapi } from './vapi.ts';

export const platforms: Record<PlatformName, Platform> = { vapi, retell, elevenlabs, twilio, telnyx };

/** Returns the names of platforms in texts: “Vapi, Retell”. */
export const listTitles = (isAmong: (platform: Platform) => boolean): string =>
  platformNames
    .filter((name) => isAmong(platforms[name]))
    .map((name) => platformTitles[name])
    .join(', ');

/** Returns the names of the platforms that have a use for a parameter of the query. */
export const listTakers = (parameter: Platform['parameters'][number]): string =>
  listTitles(({ parameters }) => parameters.includes(parameter));

/** The names of all platforms in a sentence. */
export const allPlatforms = platformNames
  .map((name) => `\`${name}\``)
  .join(', ')
  .replace(/, ([^,]+)$/, ' or $1');
