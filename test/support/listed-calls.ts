import type { Call } from '../../functions/domain/calls.ts';
import { CallLists, type ListOptions } from '../../functions/store/calls/call-lists.ts';
import { CallRecords } from '../../functions/store/calls/call-records.ts';
import { type Table, table } from '../../functions/store/table.ts';

/** Returns the calls of an agent, newest first. */
export const listCalls = (agentId: string, options?: ListOptions, store: Table = table.get()): Promise<Call[]> =>
  Array.fromAsync(new CallLists(store, new CallRecords(store)).list([agentId], options));
