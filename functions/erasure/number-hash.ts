import { createHmac } from 'node:crypto';

/** Returns the keyed hash of an erased number, which only a holder of the secret can check. */
export const hashOfNumber = (secret: string, uid: string, number: string): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify(['erasure', uid, number]))
    .digest('base64url');
