import { currentMaker, currentRequestId } from '../../cause.ts';
import type { StoredMaker } from '../../domain/change-maker.ts';
import { service } from '../../service.ts';
import { when } from '../expressions.ts';
import { type ItemKey, isSameKey } from '../keys.ts';
import { type Item, TableStore, table } from '../table.ts';
import { callEntryKeys, type StoredCall } from './call-records.ts';

/** A deleted call's entry by time, kept for an hour. One deleted by id has `deletedBy`, and is logged. */
type DeletedCall = Item & { version: string; requestId?: string; deletedBy?: StoredMaker; ttlSeconds: number };

/** A deletion of a call, as the stream reports it. */
export type CallDeletion = { entry: ItemKey; version: string };

const keptSeconds = 60 * 60;

export const locateDeletion = ({ call, version }: StoredCall): CallDeletion => {
  const [entry] = callEntryKeys(call) as [ItemKey];
  return { entry, version };
};

export const buildDeletedCall = (found: StoredCall, { isLogged }: { isLogged: boolean }): DeletedCall => {
  const { entry, version } = locateDeletion(found);
  const deletedBy = isLogged ? currentMaker() : undefined;
  return {
    ...entry,
    version,
    requestId: currentRequestId(),
    deletedBy,
    ttlSeconds: Math.ceil(Date.now() / 1000) + keptSeconds,
  };
};

/** The condition that an entry by time is of a deleted call. */
export const isOfDeletedCall = when`attribute_exists(ttlSeconds)`;

/** Reads which requests have deleted calls. */
export class DeletedCalls extends TableStore {
  /** Adds the requests to events of deleted calls, which only the kept entries name. */
  async addRequests<E extends { deletion?: CallDeletion; requestId?: string }>(events: E[]): Promise<E[]> {
    const entries = new Map(
      events.flatMap(({ deletion }) => (deletion ? [[JSON.stringify(deletion.entry), deletion.entry]] : [])),
    );
    const items = await this.table.getMany<DeletedCall>([...entries.values()]);
    return events.map((event) => {
      const { deletion } = event;
      const found = items.find((item) => deletion && isSameKey(item, deletion.entry));
      // The call may have been recorded and deleted again.
      return found && found.version === deletion?.version ? { ...event, requestId: found.requestId } : event;
    });
  }
}

export const deletedCalls = /* @__PURE__ */ service(() => new DeletedCalls(table.get()), {
  addRequests: ['dynamodb:BatchGetItem'],
});
