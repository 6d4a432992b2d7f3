import { decodeTime } from 'ulid';
import { deriveApiKey } from '../domain/api-keys.ts';
import { derivedIdentifier } from '../domain/identifiers.ts';
import type { DerivedKey } from '../store/api-keys.ts';

/** A request that makes a key: `by` is the id of its own key. */
type KeyRequest = { operation: 'createKey' | 'rotateKey'; uid: string; by: string; creationId: string };

/** Returns the key that a request makes, and makes again when it is repeated: see decision 0030. */
export const derivedKey = async (
  deployment: { read(): Promise<string> },
  { operation, uid, by, creationId }: KeyRequest,
): Promise<DerivedKey> => ({
  keyId: derivedIdentifier('key', [operation, uid, creationId], decodeTime(creationId)),
  secret: deriveApiKey(await deployment.read(), [operation, uid, by, creationId]),
});
