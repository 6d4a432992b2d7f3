import type { SignatureFault } from './hook-secrets.ts';

/** What to do about a signed request that was refused, by the reason. */
export const signatureAdvice: Record<SignatureFault, string> = {
  address:
    'The platform signed another address. Enter exactly the one that the console and "hooks url" show: its scheme, its host, and its query in the same order and spelling.',
  body: 'The body is not the one that was signed, or it is a form of Twilio with a field that Twilio does not document. A proxy between the platform and the service must not change bodies.',
  time: 'The time of the signature was more than five minutes off. Find out what delays or repeats the requests.',
  secret:
    'There was no signature by a secret that is set. Check that the platform signs, and with the secret of this account; if it does, the address or the body was changed on its way.',
};
