import { timingSafeEqual } from 'node:crypto';

/** Compares secrets or signatures in constant time: only their lengths show. */
export const isSameSecret = (one: string, other: string): boolean => {
  const [bytes, others] = [Buffer.from(one), Buffer.from(other)];
  return bytes.length === others.length && timingSafeEqual(bytes, others);
};
