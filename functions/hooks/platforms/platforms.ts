import { elevenlabs } from './elevenlabs.ts';
import type { Platform } from './platform.ts';
import { retell } from './retell.ts';
import { telnyx } from './telnyx.ts';
import { twilio } from './twilio.ts';
import { vapi } from './vapi.ts';

/** The voice platforms by path. A new one is a file, and a line here. The compiler names the rest, such as its list of calls. */
export const platforms = { twilio, vapi, retell, elevenlabs, telnyx } satisfies Record<string, Platform>;

export type PlatformName = keyof typeof platforms;

/** Returns the names of platforms in texts: “Vapi, Retell”. */
export const listTitles = (isAmong: (platform: Platform) => boolean): string =>
  Object.values(platforms)
    .filter(isAmong)
    .map(({ title }) => title)
    .join(', ');

/** Returns the names of the platforms that have a use for a parameter of the query. */
export const listTakers = (parameter: Platform['parameters'][number]): string =>
  listTitles(({ parameters }) => parameters.includes(parameter));

/** The names of all platforms in a sentence. */
export const platformNames = Object.keys(platforms)
  .map((name) => `\`${name}\``)
  .join(', ')
  .replace(/, ([^,]+)$/, ' or $1');

export const isPlatformName = (name: string): name is PlatformName => Object.hasOwn(platforms, name);
