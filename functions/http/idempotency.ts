import { hashingSecret } from '../clients/secrets.ts';
import { ApiError, invalidField } from '../domain/errors.ts';
import { hashOfJson } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { log } from '../log.ts';
import { idempotency } from '../store/idempotency.ts';
import type { AuthorizedRequest } from './authorize.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { ApiResult } from './handler-types.ts';

/** A request with an Idempotency-Key. The key belongs to the principal. */
export type IdempotentRequest = {
  endpoint: AnyEndpoint;
  request: AuthorizedRequest;
  idempotencyKey: string;
  requestId: string;
};

/** Performs a request once, and returns that first response to its repetitions. */
export const withIdempotency = async (
  { endpoint, request: { input, principal }, idempotencyKey: key, requestId }: IdempotentRequest,
  respond: (creationId: string) => Promise<ApiResult>,
): Promise<ApiResult> => {
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > limits.idempotencyKeyCharacters) {
    throw invalidField('Idempotency-Key', `must be 1 to ${limits.idempotencyKeyCharacters} visible ASCII characters`);
  }
  if (!principal) throw new Error(`${endpoint.name} takes an Idempotency-Key, but no API key.`);
  const store = idempotency.get();
  const operation = endpoint.name;
  const { uid } = principal;
  // A plain hash would let phone numbers be guessed.
  const secret = await hashingSecret.get().read();
  const keyHash = hashOfJson(['idempotency key', uid, operation, key], secret);
  const { params, query, body, ifMatch } = input;
  const content = { params, query, body, ...(ifMatch !== undefined && { ifMatch }) };
  const contentHash = hashOfJson(['idempotency content', uid, content], secret);
  const claim = await store.claim({ uid, operation, key: keyHash, contentHash });
  switch (claim.state) {
    case 'other content':
      throw new ApiError('idempotency_conflict', 'This Idempotency-Key was used with another request.');
    case 'in progress':
      throw new ApiError('idempotency_in_progress', 'The first request with this Idempotency-Key is still running.', {
        retryAfterSeconds: 1,
      });
    case 'answered': {
      const answer = endpoint.confidential ? await respond(claim.creationId) : claim.answer;
      return { ...answer, headers: { ...answer.headers, 'idempotency-replayed': 'true' } };
    }
  }
  try {
    const result = await respond(claim.creationId);
    await store.keep(claim, endpoint.confidential ? {} : result).catch((error: Error) => {
      // The work is done. A repetition runs again with the same creation id.
      log('warn', { requestId, operation, unkept: error.name });
    });
    return result;
  } catch (error) {
    await store.release(claim).catch(() => {
      // The claim expires on its own.
    });
    throw error;
  }
};
