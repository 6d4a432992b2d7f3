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
  callCollection,
  callKey,
  chronologicalPosition,
  entriesAfter,
  entriesAfterChronological,
  type ItemKey,
  listedCallPosition,
  parseAgentId,
  parseCallId,
  phoneCallCollection,
} from '../keys.ts';
import { firstPageSize, mergePages } from '../merge-pages.ts';
import { type Table, TableStore, table } from '../table.ts';
import { CallRecords, hasEntry, type StoredCall } from './call-records.ts';

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
    for await (const entries of collectChunks(mergePages(pages, query), limit))
      for (const { call } of await this.#readCalls(entries)) yield call;
  }

  /** Yields pages of the agents' calls by start, agent and id. The list continues after the position of a call. */
  async *listChronologically(
    agentIds: string[],
    { from, to, after }: { from: string; to: string; after?: string },
  ): AsyncGenerator<{ call: StoredCall['call']; position: string }[]> {
    const keptFrom = this.#records.earliestStart(from) as string;
    // DynamoDB rejects an empty range, and a position outside of it.
    const start = after === undefined || after < keptFrom ? undefined : after;
    if (to <= keptFrom) return;
    const limit = firstPageSize(entriesPerRead, agentIds.length);
    const query = { from: keptFrom, to, limit, nextLimit: entriesPerRead, keysOnly: true };
    const pages = agentIds.map((agentId) =>
      this.table.pages(callCollection(agentId), {
        ...query,
        after: start && entriesAfterChronological(start, agentId),
      }),
    );
    const merged = mergePages(pages, { getPosition: chronologicalPosition });
    for await (const entries of collectChunks(merged, entriesPerRead))
      yield (await this.#readCalls(entries)).map(({ call, entry }) => ({
        call,
        position: chronologicalPosition(entry),
      }));
  }

  /** Returns the calls of entries. A call that was moved or deleted in between is left out. */
  async #readCalls(entries: ItemKey[]): Promise<{ call: StoredCall['call']; entry: ItemKey }[]> {
    const keys = entries.map((entry) => callKey(parseAgentId(entry), parseCallId(entry.sk)));
    const found = await this.#records.read(keys);
    return entries.flatMap((entry, index) => {
      const call = found.get(keys[index]?.pk as string)?.call;
      return call && hasEntry(call, entry) ? [{ call, entry }] : [];
    });
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
  {
    page: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
    listChronologically: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
  },
);
