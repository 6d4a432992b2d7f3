import { createHmac } from 'node:crypto';

/**
 * A keyed hash of a person's number, which an erasure leaves behind: who holds the secret can tell whether a number
 * was erased, and nobody can find out the number by trying all there are.
 */
export const hashOfNumber = (secret: string, uid: string, number: string): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify(['erasure', uid, number]))
    .digest('base64url');
