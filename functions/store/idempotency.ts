import { newUlid } from '../domain/identifiers.ts';
import { idempotencyClaimSeconds } from '../domain/timeouts.ts';
import { service } from '../service.ts';
import { type ItemKey, idempotencyKey } from './keys.ts';
import { conflictingItem, refusalOf, type Table, table } from './table.ts';

/** How long a first answer is kept. */
const keepSeconds = 24 * 60 * 60;

type KeptAnswer = { statusCode?: number; headers?: Record<string, boolean | number | string>; body?: string };
type Kept = { contentHash: string; creationId: string; claimedUntil: number; ttlSeconds: number; answer?: KeptAnswer };

/** A request that may go on. `creationId` is the first one's when that one ended without an answer. */
export type Claim = { state: 'claimed'; key: ItemKey; creationId: string; claimedUntil: number };

/** What was first answered under an Idempotency-Key. */
export class IdempotencyStore {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async claim(request: {
    uid: string;
    operation: string;
    key: string;
    contentHash: string;
  }): Promise<
    Claim | { state: 'answered'; answer: KeptAnswer } | { state: 'in progress' } | { state: 'other content' }
  > {
    const now = Date.now();
    const key = idempotencyKey(request.uid, request.operation, request.key);
    // The claim's own time tells our write from another's when the response to it was lost.
    const claimedUntil = now + idempotencyClaimSeconds * 1000 + Math.random();
    const fresh: Kept = {
      contentHash: request.contentHash,
      creationId: newUlid(),
      claimedUntil,
      ttlSeconds: Math.floor(now / 1000) + keepSeconds,
    };
    try {
      await this.#table.put(
        { ...key, ...fresh },
        {
          ConditionExpression: 'attribute_not_exists(pk) or ttlSeconds <= :now',
          ExpressionAttributeValues: { ':now': Math.floor(now / 1000) },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      );
      return { state: 'claimed', key, creationId: fresh.creationId, claimedUntil };
    } catch (error) {
      const kept = conflictingItem<Kept>(error);
      if (!kept) throw error;
      if (kept.claimedUntil === claimedUntil)
        return { state: 'claimed', key, creationId: kept.creationId, claimedUntil };
      if (kept.contentHash !== request.contentHash) return { state: 'other content' };
      if (kept.answer) return { state: 'answered', answer: kept.answer };
      if (kept.claimedUntil > now) return { state: 'in progress' };
      return this.#takeOver(key, kept, claimedUntil);
    }
  }

  /** Goes on where a request ended without an answer, if nobody else does. */
  async #takeOver(key: ItemKey, kept: Kept, claimedUntil: number): Promise<Claim | { state: 'in progress' }> {
    try {
      await this.#table.update(key, {
        UpdateExpression: 'set claimedUntil = :new',
        ConditionExpression: 'claimedUntil = :old or claimedUntil = :new',
        ExpressionAttributeValues: { ':new': claimedUntil, ':old': kept.claimedUntil },
      });
      return { state: 'claimed', key, creationId: kept.creationId, claimedUntil };
    } catch (error) {
      if (refusalOf(error) === 'condition') return { state: 'in progress' };
      throw error;
    }
  }

  /** Keeps the answer for those who ask again. */
  async keep(claim: Claim, answer: KeptAnswer): Promise<void> {
    const { statusCode, headers, body } = answer;
    await this.#table.update(claim.key, {
      UpdateExpression: 'set answer = :answer',
      ConditionExpression: 'claimedUntil = :mine',
      ExpressionAttributeValues: { ':answer': { statusCode, headers, body }, ':mine': claim.claimedUntil },
    });
  }

  /** Lets a repetition go on at once after a failure. */
  async release(claim: Claim): Promise<void> {
    await this.#table.update(claim.key, {
      UpdateExpression: 'set claimedUntil = :over',
      ConditionExpression: 'claimedUntil = :mine',
      ExpressionAttributeValues: { ':over': 0, ':mine': claim.claimedUntil },
    });
  }
}

export const idempotency = service(() => new IdempotencyStore(table.get()), {
  claim: ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
  keep: ['dynamodb:UpdateItem'],
  release: ['dynamodb:UpdateItem'],
});
