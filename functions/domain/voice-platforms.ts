/** The voice platforms, by their names in paths, with their names for people. A new one begins here: the compiler names its files. */
export const platformTitles = {
  vapi: 'Vapi',
  retell: 'Retell',
  elevenlabs: 'ElevenLabs',
  twilio: 'Twilio',
  telnyx: 'Telnyx',
};
export type PlatformName = keyof typeof platformTitles;

export const platformNames = Object.keys(platformTitles) as PlatformName[];

export const isPlatformName = (name: string): name is PlatformName => Object.hasOwn(platformTitles, name);
