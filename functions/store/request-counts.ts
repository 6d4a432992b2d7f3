import type { RequestCounts } from '../domain/request-window.ts';
import { service } from '../service.ts';
import { requestCountsKey } from './keys.ts';
import { type Item, TableStore, table } from './table.ts';

/** Has an attribute for each minute: `m29512345`. */
type CountsItem = Item & { ttlSeconds: number };

const keptSeconds = 180;

/** The requests of limited keys, as instances have written them. A key is named by its hash. */
export class RequestCountStore extends TableStore {
  async read(hash: string): Promise<RequestCounts> {
    return toCounts(await this.table.get<CountsItem>(requestCountsKey(hash)));
  }

  async readMany(hashes: string[]): Promise<Map<string, RequestCounts>> {
    const items = await this.table.getMany<CountsItem>(hashes.map(requestCountsKey));
    return new Map(items.map((item) => [item.pk.split('#')[1] as string, toCounts(item)]));
  }

  /** Adds to the counts, forgets earlier minutes that were seen, and returns what all instances have written. */
  async add(hash: string, counts: RequestCounts, seen: RequestCounts): Promise<RequestCounts> {
    const first = Math.min(...counts.keys());
    const over = [...seen.keys()].filter((minute) => minute < first - 1);
    const set = {
      ttlSeconds: Math.ceil(Date.now() / 1000) + keptSeconds,
      ...Object.fromEntries(over.map((minute) => [toName(minute), null])),
    };
    const add = Object.fromEntries([...counts].map(([minute, count]) => [toName(minute), count]));
    return toCounts(await this.table.change<CountsItem>(requestCountsKey(hash), { set, add }));
  }
}

const toName = (minute: number) => `m${minute}`;

const toCounts = (item: CountsItem | undefined): RequestCounts =>
  new Map(
    Object.entries(item ?? {}).flatMap(([name, count]) =>
      /^m\d+$/.test(name) ? [[Number(name.slice(1)), count as number]] : [],
    ),
  );

export const requestCounts = /* @__PURE__ */ service(() => new RequestCountStore(table.get()), {
  read: ['dynamodb:GetItem:requests'],
  readMany: ['dynamodb:BatchGetItem'],
  add: ['dynamodb:UpdateItem:requests'],
});
