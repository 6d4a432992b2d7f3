import * as z from 'zod/mini';
import { choiceField } from './describe.ts';

/** What STIR/SHAKEN says of a caller's right to the number: a level, `failed`, or `none` without a usable signature. */
export const Attestation = choiceField(
  ['A', 'B', 'C', 'failed', 'none'],
  'What the carrier attests of the caller’s number (STIR/SHAKEN): `A`, `B` or `C`, `failed` if the signature is not valid, `none` without one.',
  'B',
);
export type Attestation = z.infer<typeof Attestation>;

/** The attestations that an agent can reject. */
export const RejectableAttestation = z.enum(['failed', 'C', 'none']);
