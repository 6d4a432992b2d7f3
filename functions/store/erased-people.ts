import { createHmac } from 'node:crypto';
import { listForms } from '../domain/number-forms.ts';
import { service } from '../service.ts';
import { when } from './expressions.ts';
import { accessKey, erasedPersonKey } from './keys.ts';
import { type Item, TableStore, table } from './table.ts';

/** Returns the keyed hash of an erased number, which only a holder of the secret can check. */
export const hashOfNumber = (secret: string, uid: string, number: string): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify(['erasure', uid, number]))
    .digest('base64url');

type ErasedPersonItem = Item & { requestedAt: string };

/** The people whom a user has erased, by the keyed hash of their number. No platform brings back a call that started before. */
export class ErasedPeople extends TableStore {
  /** Keeps when the erasure of a number was requested. */
  async add(uid: string, numberHash: string, requestedAt: string): Promise<void> {
    const isLater = when`attribute_not_exists(requestedAt) or requestedAt < ${requestedAt}`;
    await this.table.change(erasedPersonKey(uid, numberHash), { set: { requestedAt } }, isLater);
  }

  /** Notes at an agent, whose access each report of a call reads, that somebody was erased. */
  async markAgent(agentId: string, erasedAt: string): Promise<void> {
    const isLater = when`attribute_exists(uid) and (attribute_not_exists(erasedAt) or erasedAt < ${erasedAt})`;
    await this.table.change(accessKey(agentId), { set: { erasedAt } }, isLater);
  }

  /** Checks whether the erasure of a number was requested after a time. */
  async wasErasedAfter(secret: string, { uid, number, time }: { uid: string; number: string; time: string }) {
    const keys = listForms(number).map((form) => erasedPersonKey(uid, hashOfNumber(secret, uid, form)));
    const found = await this.table.getMany<ErasedPersonItem>(keys);
    return found.some(({ requestedAt }) => Date.parse(time) < Date.parse(requestedAt));
  }
}

export const erasedPeople = /* @__PURE__ */ service(() => new ErasedPeople(table.get()), {
  add: ['dynamodb:UpdateItem'],
  markAgent: ['dynamodb:UpdateItem'],
  wasErasedAfter: ['dynamodb:BatchGetItem'],
});
