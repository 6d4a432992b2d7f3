import { createHmac } from 'node:crypto';

/**
 * Returns the keyed hash of a person's number that an erasure keeps. Only a holder of the secret can check whether a number was
 * erased, or find the number by trying them all.
 */
export const hashOfNumber = (secret: string, uid: string, number: string): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify(['erasure', uid, number]))
    .digest('base64url');
