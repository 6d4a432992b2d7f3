import { createPublicKey, verify } from 'node:crypto';
import type { Attestation } from '../../domain/attestations.ts';
import { explainFaults, isRecent } from '../secrets/signatures.ts';
import { type Platform, readText } from './platform.ts';
import { readCall, twilio } from './twilio.ts';

/** A signature of Ed25519: 64 bytes in canonical base64. */
const signatureForm = /^[A-Za-z0-9+/]{85}[AQgw]==$/;

/**
 * Telnyx's TeXML: Twilio's, signed differently.
 * https://developers.telnyx.com/docs/voice/programmable-voice/texml-setup
 */
export const telnyx: Platform = {
  ...twilio,
  secret: { field: 'publicKey', headers: ['telnyx-signature-ed25519'] },

  read: ({ body }) => readCall(body, readAttestation(body)),

  /** The signature covers time and body. The secret is the account's public key. */
  verify(request) {
    const { 'telnyx-signature-ed25519': signature = '', 'telnyx-timestamp': time = '' } = request.headers;
    if (!signatureForm.test(signature) || !/^\d{1,12}$/.test(time)) return () => 'secret';
    if (!isRecent(Number(time) * 1000)) return () => 'time';
    const explain = explainFaults(request);
    return ({ secret: publicKey }) => {
      const x = Buffer.from(publicKey, 'base64').toString('base64url');
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
      return explain((body) =>
        verify(null, Buffer.concat([Buffer.from(`${time}|`), body]), key, Buffer.from(signature, 'base64')),
      );
    };
  },
};

/** Returns the reported attestation. A level needs a validated signature. */
const readAttestation = (body: Record<string, unknown>): Attestation | undefined => {
  const level = (['A', 'B', 'C'] as const).find((one) => one === readText(body, 'ShakenStirAttestation'));
  const isValidated = String(body.ShakenStirValidated).toLowerCase() !== 'false';
  return level && (isValidated ? level : 'failed');
};
