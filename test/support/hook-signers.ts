import { createHmac, createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A request of a voice platform, byte for byte. */
export type SentHook = { address: string; headers: Record<string, string>; body: string };

/** The keys of an account at Telnyx. */
const newKeyPair = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return {
    secret: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    publicKey: Buffer.from(x, 'base64url').toString('base64'),
  };
};

/** A new secret of a platform: the secret that it signs with, and the fields that give it to the service. */
export const newHookSecret = (platform: string): { secret: string; fields: Record<string, string> } => {
  if (platform === 'telnyx') {
    const { secret, publicKey } = newKeyPair();
    return { secret, fields: { publicKey } };
  }
  const secret = randomBytes(16).toString('hex');
  return { secret, fields: { secret } };
};

const hmac = (secret: string, algorithm = 'sha256') => createHmac(algorithm, secret);
const seconds = (milliseconds: number) => String(Math.floor(milliseconds / 1000));

/** The headers with which each platform signs a request, as its documentation describes them. */
export const signers: Record<
  string,
  (sent: Omit<SentHook, 'headers'>, secret: string, at?: number) => SentHook['headers']
> = {
  twilio({ address, body }, secret) {
    const isForm = !address.includes('bodySHA256');
    const fields = isForm ? [...new URLSearchParams(body)].sort(([a], [b]) => (a < b ? -1 : 1)).flat() : [];
    return {
      'x-twilio-signature': hmac(secret, 'sha1')
        .update([address, ...fields].join(''))
        .digest('base64'),
    };
  },
  vapi({ body }, secret, at = Date.now()) {
    const signature = hmac(secret).update(`${at}.${body}`).digest('hex');
    return { 'x-signature': signature, 'x-timestamp': String(at) };
  },
  retell({ body }, secret, at = Date.now()) {
    return { 'x-retell-signature': `v=${at},d=${hmac(secret).update(`${body}${at}`).digest('hex')}` };
  },
  elevenlabs({ body }, secret, at = Date.now()) {
    const time = seconds(at);
    return { 'elevenlabs-signature': `t=${time},v0=${hmac(secret).update(`${time}.${body}`).digest('hex')}` };
  },
  telnyx({ body }, secret, at = Date.now()) {
    const time = seconds(at);
    const signature = sign(null, Buffer.from(`${time}|${body}`), createPrivateKey(secret)).toString('base64');
    return { 'telnyx-signature-ed25519': signature, 'telnyx-timestamp': time };
  },
};
