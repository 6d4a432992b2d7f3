import { now } from '../domain/date-time.ts';
import type { Erasure } from '../domain/erasures.ts';
import { service } from '../service.ts';
import { exists, when } from '../store/expressions.ts';
import { erasureKey } from '../store/keys.ts';
import { type Item, TableStore, type TransactionAction, table } from '../store/table.ts';

/** A request to erase a person. `numberHash` is keyed: the number cannot be recovered from it. */
export type ErasureRequest = {
  uid: string;
  erasureId: string;
  number: string;
  numberHash: string;
  blockList: 'keep' | 'remove';
};

/** The kinds of data that an erasure counts. */
export const erasedKinds = ['calls', 'blockedNumbers', 'consents'] as const;
export type ErasedKind = (typeof erasedKinds)[number];

type ErasureItem = Item &
  Omit<ErasureRequest, 'number'> &
  Pick<Erasure, 'status' | 'requestedAt' | 'finishedAt' | 'error'> &
  Record<ErasedKind, number> & {
    /** Present until the erasure has ended. */
    number?: string;
  };

const maxMilliseconds = 48 * 60 * 60 * 1000;

/** Returns true when everything that an erasure waits for has ended, so that only an operator can complete it. */
export const isOverdue = ({ requestedAt }: Pick<Erasure, 'requestedAt'>): boolean =>
  Date.now() > Date.parse(requestedAt) + maxMilliseconds;

export const incompleteErasure = 'The erasure could not be completed. Request it again.';

/** The erasures of people that users request. The record of an ended erasure does not contain the number. */
export class Erasures extends TableStore {
  /** Adds an erasure, unless an earlier attempt of the request added it. */
  async add(request: ErasureRequest): Promise<void> {
    const { uid, erasureId } = request;
    const state = { status: 'pending', requestedAt: now(), calls: 0, blockedNumbers: 0, consents: 0 };
    await this.table.putNew({ ...erasureKey(uid, erasureId), ...request, ...state });
  }

  async find(uid: string, erasureId: string): Promise<Erasure | undefined> {
    const item = await this.table.get<ErasureItem>(erasureKey(uid, erasureId));
    if (!item) return undefined;
    const { status, calls, blockedNumbers, consents = 0, requestedAt, finishedAt, error } = item;
    const end = { finishedAt, error };
    return { erasureId, status, erased: { calls, blockedNumbers, consents }, requestedAt, ...end };
  }

  /** Begins a run, and returns what to erase; undefined when there is no such erasure, or it has ended. */
  async start(
    uid: string,
    erasureId: string,
  ): Promise<(Pick<ErasureRequest, 'number' | 'numberHash' | 'blockList'> & Pick<Erasure, 'requestedAt'>) | undefined> {
    const item = await this.table.change<ErasureItem>(
      erasureKey(uid, erasureId),
      { set: { status: 'running' } },
      isUnfinished,
    );
    if (item?.number === undefined) return undefined;
    const { number, numberHash, blockList, requestedAt } = item;
    return { number, numberHash, blockList, requestedAt };
  }

  /** Returns the action that counts erased items, for the transaction that erases them: each counts exactly once. */
  counting(uid: string, erasureId: string, kind: ErasedKind, by: number): TransactionAction {
    return this.table.updateAction(erasureKey(uid, erasureId), { add: { [kind]: by } }, exists);
  }

  async finish(uid: string, erasureId: string): Promise<void> {
    await this.#end(uid, erasureId, { status: 'done' });
  }

  async fail(uid: string, erasureId: string, error: string): Promise<void> {
    await this.#end(uid, erasureId, { status: 'failed', error });
  }

  async #end(uid: string, erasureId: string, fields: object): Promise<void> {
    const set = { ...fields, number: null, finishedAt: now() };
    await this.table.change(erasureKey(uid, erasureId), { set }, isUnfinished);
  }
}

const isUnfinished = when`#status in (${'pending'}, ${'running'})`;

export const erasures = /* @__PURE__ */ service(() => new Erasures(table.get()), {
  add: ['dynamodb:PutItem'],
  find: ['dynamodb:GetItem'],
  start: ['dynamodb:UpdateItem'],
  counting: ['dynamodb:UpdateItem'],
  finish: ['dynamodb:UpdateItem'],
  fail: ['dynamodb:UpdateItem'],
});
