import { hashingSecret } from '../clients/secrets.ts';
import { type Permission, permissionsOfServices } from '../service.ts';
import { credentials } from '../store/credentials.ts';
import { idempotency } from '../store/idempotency.ts';
import { requestCounts } from '../store/request-counts.ts';
import { type AnyEndpoint, takesIdempotencyKey } from './endpoint.ts';

/** Returns the permissions for an endpoint's services, authentication and idempotency. */
export const endpointPermissions = (endpoint: AnyEndpoint): Permission[] => {
  const { caller, services = {} } = endpoint;
  const readsKey = caller.kind === 'key' && !caller.forwarded;
  return permissionsOfServices({
    ...services,
    ...(readsKey && { credentials: credentials.for('read'), requestCounts: requestCounts.for('read', 'add') }),
    ...('signature' in caller && caller.signature?.services),
    ...('accessTokens' in caller && caller.accessTokens && { accessTokens: caller.accessTokens }),
    ...(takesIdempotencyKey(endpoint) && {
      idempotency: idempotency.for('claim', 'keep', 'release'),
      idempotencySecret: hashingSecret,
    }),
  });
};
