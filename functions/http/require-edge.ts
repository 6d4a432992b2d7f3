import { isSameSecret } from '../domain/same-secret.ts';
import { edgeSecretHeader, environment } from '../environment.ts';
import type { ApiMiddleware } from './handler-types.ts';
import { json } from './response.ts';
import { warmUpEvent } from './warm-up.ts';

/** Refuses requests that bypass CloudFront and could forge their address. */
export const requireEdge = (): ApiMiddleware => ({
  before({ event }) {
    const secrets = environment.edgeSecrets;
    if (secrets.length === 0 || event === warmUpEvent) return;
    const sent = event.headers[edgeSecretHeader] ?? '';
    if (!secrets.some((secret) => isSameSecret(secret, sent))) return json(403, { message: 'Forbidden' });
  },
});
