import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { newUlid } from '../domain/identifiers.ts';
import type { KeptPosition } from '../domain/job-messages.ts';
import { limits } from '../domain/limits.ts';
import { idempotencyClaimSeconds } from '../domain/timeouts.ts';
import { service } from '../service.ts';
import { when } from './expressions.ts';
import {
  type ItemKey,
  idempotencyCollections,
  idempotencyKey,
  idempotencyKeyOfPiece,
  idempotencyPieceKey,
} from './keys.ts';
import { type Item, TableStore, table } from './table.ts';

type KeptResponse = { statusCode?: number; headers?: Record<string, boolean | number | string>; body?: string };
type Kept = {
  contentHash: string;
  creationId: string;
  claimedUntil: number;
  ttlSeconds: number;
  /** The deflated response, or the number of pieces that it is kept in. */
  answer?: Uint8Array;
  pieces?: number;
};
type Piece = Item & { answer: Uint8Array };

/** Bytes of a deflated response in an item, whose limit is 400 KB. */
const pieceBytes = 300 * 1024;

/** A request that may proceed, with the `creationId` of an unfinished earlier attempt. */
export type Claim = { state: 'claimed'; key: ItemKey; creationId: string; claimedUntil: number; ttlSeconds: number };

/** The first responses to requests with an Idempotency-Key. */
export class IdempotencyStore extends TableStore {
  async claim(request: {
    uid: string;
    operation: string;
    key: string;
    contentHash: string;
  }): Promise<
    | Claim
    | { state: 'answered'; answer: KeptResponse; creationId: string }
    | { state: 'in progress' }
    | { state: 'other content' }
  > {
    const now = Date.now();
    const key = idempotencyKey(request.uid, request.operation, request.key);
    // The random part identifies this write when its response was lost.
    const claimedUntil = now + idempotencyClaimSeconds * 1000 + Math.random();
    const ttlSeconds = Math.floor(now / 1000) + limits.idempotencySeconds;
    const fresh: Kept = {
      contentHash: request.contentHash,
      creationId: newUlid(),
      claimedUntil,
      ttlSeconds,
    };
    const isUnclaimed = when`attribute_not_exists(pk) or ttlSeconds <= ${Math.floor(now / 1000)}`;
    const { isNew, item: kept } = await this.table.putNew<Item & Kept>({ ...key, ...fresh }, isUnclaimed);
    if (isNew) return { state: 'claimed', key, creationId: kept.creationId, claimedUntil, ttlSeconds };
    if (kept.contentHash !== request.contentHash) return { state: 'other content' };
    const answer = await this.#read(key, kept);
    if (answer) return { state: 'answered', answer, creationId: kept.creationId };
    if (kept.claimedUntil > now) return { state: 'in progress' };
    return this.#takeOver(key, kept, claimedUntil);
  }

  /** Takes over from a request without a response, unless another did. */
  async #takeOver(key: ItemKey, kept: Kept, claimedUntil: number): Promise<Claim | { state: 'in progress' }> {
    const taken = await this.table.change(
      key,
      { set: { claimedUntil } },
      when`claimedUntil = ${kept.claimedUntil} or claimedUntil = ${claimedUntil}`,
    );
    if (!taken) return { state: 'in progress' };
    return { state: 'claimed', key, creationId: kept.creationId, claimedUntil, ttlSeconds: kept.ttlSeconds };
  }

  /** Keeps a response for repetitions of its request. */
  async keep(claim: Claim, answer: KeptResponse): Promise<void> {
    const { statusCode, headers, body } = answer;
    const bytes = deflateRawSync(JSON.stringify({ statusCode, headers, body }));
    const pieces = Math.ceil(bytes.length / pieceBytes);
    if (pieces > 1) {
      for (let n = 0; n < pieces; n++) {
        const piece = bytes.subarray(n * pieceBytes, (n + 1) * pieceBytes);
        await this.table.put({
          ...idempotencyPieceKey(claim.key, n),
          answer: piece,
          ttlSeconds: claim.ttlSeconds,
        } as Piece);
      }
    }
    const change = { set: pieces > 1 ? { pieces } : { answer: bytes } };
    const kept = await this.table.change(claim.key, change, isStillClaimed(claim));
    if (!kept) throw new Error('Another request has taken over the claim.');
  }

  async #read(key: ItemKey, { answer, pieces }: Kept): Promise<KeptResponse | undefined> {
    if (answer) return JSON.parse(inflateRawSync(answer).toString());
    if (pieces === undefined) return undefined;
    const keys = Array.from({ length: pieces }, (_, n) => idempotencyPieceKey(key, n));
    const found = new Map((await this.table.getMany<Piece>(keys)).map((item) => [item.sk, item.answer]));
    // The response is being deleted.
    if (found.size < pieces) return undefined;
    const all = Buffer.concat(keys.map(({ sk }) => found.get(sk) as Uint8Array));
    return JSON.parse(inflateRawSync(all).toString());
  }

  /**
   * Deletes responses that mention a text, until `until`. `isUnderWay`: a request from before `since` may still store
   * its response.
   */
  async forget(
    uids: string[],
    mentions: (body: unknown) => boolean,
    { since = 0, until, from }: { since?: number; until: number; from?: KeptPosition },
  ): Promise<{ stoppedAt?: KeptPosition; isUnderWay: boolean }> {
    let isUnderWay = from?.isUnderWay ?? false;
    let kept: ItemKey | undefined;
    const orphans: ItemKey[] = [];
    for await (const { item, position } of this.#items(uids, from)) {
      const { pk, sk, claimedUntil } = item;
      const whole = idempotencyKeyOfPiece(item);
      if (whole) {
        // Pieces without a response belong to one that was deleted, or has expired.
        if (whole.pk !== kept?.pk || whole.sk !== kept.sk) orphans.push({ pk, sk });
        continue;
      }
      if (Date.now() >= until) {
        await this.table.deleteMany(orphans);
        return { stoppedAt: { ...position, isUnderWay }, isUnderWay };
      }
      const answer = await this.#read(item, item);
      const begun = claimedUntil - idempotencyClaimSeconds * 1000;
      if (!answer && begun < since + 1 && claimedUntil > Date.now()) isUnderWay = true;
      const isMentioned = answer?.body !== undefined && mentions(JSON.parse(answer.body));
      if (isMentioned) await this.table.delete({ pk, sk }, isUnchanged(item));
      kept = isMentioned ? undefined : item;
    }
    await this.table.deleteMany(orphans);
    return { isUnderWay };
  }

  /** Yields what is kept of users from a position on, responses before their pieces, each with the position before it. */
  async *#items(
    uids: string[],
    from: KeptPosition | undefined,
  ): AsyncGenerator<{ item: Item & Kept; position: Omit<KeptPosition, 'isUnderWay'> }> {
    for (const uid of uids.toSorted().filter((uid) => from === undefined || uid >= from.uid)) {
      for (const [shard, collection] of idempotencyCollections(uid).entries()) {
        if (uid === from?.uid && shard < from.shard) continue;
        let after = uid === from?.uid && shard === from.shard ? from.after : undefined;
        for await (const item of this.table.query<Item & Kept>(collection, { after })) {
          yield { item, position: { uid, shard, after } };
          after = item.sk;
        }
      }
    }
  }

  /** Ends the claim of a failed request, so that a repetition proceeds immediately. */
  async release(claim: Claim): Promise<void> {
    await this.table.change(claim.key, { set: { claimedUntil: 0 } }, isStillClaimed(claim));
  }
}

const isUnchanged = ({ claimedUntil }: Kept) => when`claimedUntil = ${claimedUntil}`;
const isStillClaimed = ({ claimedUntil }: Claim) => when`claimedUntil = ${claimedUntil}`;

export const idempotency = /* @__PURE__ */ service(() => new IdempotencyStore(table.get()), {
  claim: ['dynamodb:BatchGetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
  keep: ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
  release: ['dynamodb:UpdateItem'],
  forget: ['dynamodb:BatchGetItem', 'dynamodb:BatchWriteItem', 'dynamodb:DeleteItem', 'dynamodb:Query'],
});
