import { ApiError, invalidField } from '../domain/errors.ts';
import { newUlid } from '../domain/identifiers.ts';
import { hashOfJson } from '../domain/json.ts';
import { log } from '../log.ts';
import { idempotency } from '../store/idempotency.ts';
import type { AnyEndpoint, Principal } from './endpoint.ts';
import type { ApiEvent, ApiResult, FormRead, KitContext } from './lambda.ts';

/** Answers a request that carries an Idempotency-Key once, and its repetitions with that first answer. */
export const answerOnce = async (
  endpoint: AnyEndpoint,
  event: ApiEvent,
  context: KitContext,
  answer: (creationId: string) => Promise<ApiResult>,
): Promise<ApiResult> => {
  const key = event.headers['idempotency-key'];
  if (key === undefined) return answer(newUlid());
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalidField('Idempotency-Key', 'must be 1 to 255 visible ASCII characters');
  }
  const { principal, form } = context as KitContext & { principal: Principal; form: FormRead };
  return once({ endpoint, principal, form, key, requestId: event.requestContext.requestId }, answer);
};

/** A request that is to be answered once, under a key of its holder's. */
export type OnlyOnce = { endpoint: AnyEndpoint; principal: Principal; form: FormRead; key: string; requestId: string };

/** Answers a request the first time, and gives that answer again to its repetitions. */
export const once = async (
  { endpoint, principal, form, key, requestId }: OnlyOnce,
  answer: (creationId: string) => Promise<ApiResult>,
): Promise<ApiResult> => {
  const store = idempotency.get();
  const claim = await store.claim({ uid: principal.uid, operation: endpoint.name, key, contentHash: hashOfJson(form) });
  switch (claim.state) {
    case 'other content':
      throw new ApiError('idempotency_conflict', 'This Idempotency-Key was used with another request.');
    case 'in progress':
      throw new ApiError('idempotency_in_progress', 'The first request with this Idempotency-Key is still running.', {
        retryAfterSeconds: 1,
      });
    case 'answered':
      return { ...claim.answer, headers: { ...claim.answer.headers, 'idempotency-replayed': 'true' } };
  }
  try {
    const result = await answer(claim.creationId);
    await store.keep(claim, result).catch((error: Error) => {
      // The work is done and the answer true; a repetition will redo it under the same creation id.
      log('warn', { requestId, operation: endpoint.name, unkept: error.name });
    });
    return result;
  } catch (error) {
    await store.release(claim).catch(() => {
      // It releases itself when its time is over.
    });
    throw error;
  }
};
