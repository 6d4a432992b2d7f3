import { matchesFilters } from '../../domain/call-filters.ts';
import type { CallsPage, CallsQuery } from '../../domain/call-lists.ts';
import type { Call } from '../../domain/calls.ts';
import { collectChunks } from '../../domain/chunks.ts';
import { limits } from '../../domain/limits.ts';
import { listForms } from '../../domain/number-forms.ts';
import { fillPage, fromCursor } from '../../domain/paging.ts';
import { environment } from '../../environment.ts';
import { service } from '../../service.ts';
import {
  agentIdAt,
  callCollection,
  callIdAt,
  callKey,
  entriesAfter,
  listedCallPosition,
  phoneCallCollection,
} from '../keys.ts';
import { firstPageSize, mergePages } from '../merge-pages.ts';
import { type Table, TableStore, table } from '../table.ts';
import { CallRecords, hasEntry } from './call-records.ts';

/** The records that are read at once, of up to 150 KB each. */
const entriesPerRead = 200;

/** A range of calls: `from` ≤ start < `to`. */
export type CallRange = { phone?: string; from?: string; to?: string };

/** `after` is a call's position. `limit` is how many the caller expects to take. */
export type ListOptions = CallRange & { after?: string; limit?: number };

/** The calls of agents, newest first. */
export class CallLists extends TableStore {
  readonly #records: CallRecords;

  constructor(table: Table, records: CallRecords) {
    super(table);
    this.#records = records;
  }

  /** Yields the calls of agents, newest first, or those with any form of `phone`. */
  async *list(agentIds: string[], { phone, after, ...range }: ListOptions = {}): AsyncGenerator<Call> {
    const from = this.#records.earliestStart(range.from);
    // DynamoDB rejects an empty range, and a position outside of it.
    if (from !== undefined && [range.to, after].some((end) => end !== undefined && end < from)) return;
    const limit = Math.min(range.limit ?? entriesPerRead, entriesPerRead);
    const query = {
      ...range,
      from,
      limit: firstPageSize(limit, agentIds.length),
      nextLimit: entriesPerRead,
      descending: true,
      keysOnly: true,
    };
    const pages = agentIds.toSorted().flatMap((agentId) => {
      const collections =
        phone === undefined
          ? [callCollection(agentId)]
          : listForms(phone).map((form) => phoneCallCollection(agentId, form));
      const options = { ...query, after: after && entriesAfter(after, agentId) };
      return collections.map((entries) => this.table.pages(entries, options));
    });
    for await (const entries of collectChunks(mergePages(pages, query), limit)) {
      const keys = entries.map((entry) => callKey(agentIdAt(entry), callIdAt(entry.sk)));
      const found = await this.#records.read(keys);
      for (const [index, entry] of entries.entries()) {
        const call = found.get(keys[index]?.pk as string)?.call;
        // A call that was moved or deleted in between is left out.
        if (call && hasEntry(call, entry)) yield call;
      }
    }
  }

  /** Returns a page of calls. Its cursor is for this name and these filters. */
  async page(
    name: string,
    agentIds: string[],
    { phone, from, to, limit, cursor, ...filters }: CallsQuery,
    clock = Date.now,
  ): Promise<CallsPage> {
    const isFiltered = Object.values(filters).some((value) => value !== undefined);
    const collection = `calls:${name}:${JSON.stringify([phone, from, to, filters])}`;
    const after = fromCursor(collection, cursor);
    if (from !== undefined && to !== undefined && from > to) return { calls: [] };
    let until: number | undefined;
    const range = { phone, from, to, after, limit: isFiltered ? undefined : limit && limit + 1 };
    const { items, searchedTo, ...next } = await fillPage(this.list(agentIds, range), {
      collection,
      limit,
      getPosition: listedCallPosition,
      includes: (call) => matchesFilters(call, filters),
      isOver: (examined) => {
        // Every page gets ahead, however long many agents' lists take.
        until ??= clock() + limits.callSearchSeconds * 1000;
        return isFiltered && (examined >= limits.callsExamined || clock() >= until);
      },
    });
    return { calls: items, ...next, searchedBackTo: searchedTo?.startedAt };
  }
}

export const callLists = /* @__PURE__ */ service(
  () => new CallLists(table.get(), new CallRecords(table.get(), environment.callRetentionDays)),
  { page: ['dynamodb:BatchGetItem', 'dynamodb:Query'] },
);
