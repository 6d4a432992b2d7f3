import * as z from 'zod/mini';
import { choiceField } from './describe.ts';

/**
 * What STIR/SHAKEN says of a caller's right to the number: the level that the caller's carrier attests, `failed` if its signature
 * could not be verified, `none` if there was no usable one.
 */
export const Attestation = choiceField(
  ['A', 'B', 'C', 'failed', 'none'],
  'What the carrier attests of the caller’s number (STIR/SHAKEN): `A`, `B` or `C`, `failed` if the signature is not valid, `none` without one.',
  'B',
);
export type Attestation = z.infer<typeof Attestation>;

/** The attestations that an agent can reject. */
export const RejectableAttestation = z.enum(['failed', 'C', 'none']);
