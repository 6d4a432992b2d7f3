import { decodeTime } from 'ulid';
import { deriveApiKey } from '../domain/api-keys.ts';
import { derivedIdentifier } from '../domain/identifiers.ts';
import type { DerivedKey } from '../store/api-keys.ts';

/** A request that makes a key: `by` is the id of its own key. */
type KeyRequest = { operation: 'createKey' | 'rotateKey'; uid: string; by: string; creationId: string };

/**
 * Returns the id and the secret of the key that a request makes. A request that is repeated with its Idempotency-Key has the
 * same `creationId`, so it gets the same key again, and nothing that was stored contains the secret: the table has its hash.
 *
 * The secret follows from the deployment's own secret, which is not in the table, and from the random part of `creationId`,
 * which is kept only with the Idempotency-Key, for a day. The id of the key is a hash, from which `creationId` does not follow. So
 * neither the table, its backups and its stream, nor a day later the deployment's secret with them, reveal a key. The requesting
 * key is one of the texts: another key of the same user that repeats the request derives another secret, and is refused.
 */
export const derivedKey = async (
  deployment: { read(): Promise<string> },
  { operation, uid, by, creationId }: KeyRequest,
): Promise<DerivedKey> => ({
  keyId: derivedIdentifier('key', [operation, uid, creationId], decodeTime(creationId)),
  secret: deriveApiKey(await deployment.read(), [operation, uid, by, creationId]),
});
