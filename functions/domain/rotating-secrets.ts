import { limits } from './limits.ts';

/** A secret of several that are in force. After `endsAt` (Unix milliseconds) it is not. */
type RotatingSecret = { endsAt?: number };

/** The maximum number of secrets in force: the newest, and those that it replaced since. */
export const maxSecrets = 5;

/** Returns the secrets that are in force. */
export const activeSecrets = <Secret extends RotatingSecret>(secrets: Secret[], now = Date.now()): Secret[] =>
  secrets.filter(({ endsAt = Number.POSITIVE_INFINITY }) => endsAt > now);

/** Returns the secrets in force with their ends: a secret that is replaced now ends a day later. */
export const replacedSecrets = <Secret extends RotatingSecret>(secrets: Secret[], now = Date.now()) =>
  activeSecrets(secrets, now).map((secret) => ({
    ...secret,
    endsAt: secret.endsAt ?? now + limits.replacedSecretSeconds * 1000,
  }));
