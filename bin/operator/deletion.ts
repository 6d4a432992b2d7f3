import {
  type BlockListOwner,
  blockedNumberCollection,
  blockListShards,
  type Collection,
  callCollection,
  documentCollection,
  websiteCollection,
} from '../../functions/store/keys.ts';
import type { Table } from '../../functions/store/table.ts';
import { print, record } from '../command-line/output.ts';
import { sayUnconfirmed } from './confirmation.ts';
import type { GlobalOptions } from './stores.ts';

/** The number of items that a deletion deletes, by kind. */
export type Counts = Record<string, number>;

/** Counts what an agent has. */
export const countAgent = async (table: Table, agentId: string, guests: string[]): Promise<Counts> => ({
  calls: await countItems(table, [callCollection(agentId)]),
  blockedNumbers: await countBlocked(table, { agentId }),
  websites: await countItems(table, [websiteCollection(agentId)]),
  documents: await countItems(table, [documentCollection(agentId)]),
  guests: guests.length,
});

export const countBlocked = (table: Table, owner: BlockListOwner): Promise<number> =>
  countItems(
    table,
    Array.from({ length: blockListShards }, (_, shard) => blockedNumberCollection(owner, shard)),
  );

const countItems = async (table: Table, collections: Collection[]): Promise<number> => {
  let count = 0;
  for (const collection of collections) {
    for await (const page of table.pages(collection, { keysOnly: true })) count += page.length;
  }
  return count;
};

/** Prints what was deleted or, without `--yes`, what would be. */
export const reportDeletion = (
  options: GlobalOptions & { yes?: true | undefined },
  target: Record<string, string>,
  counts: Counts,
): void => {
  const done = options.yes ?? false;
  print(options, { ...target, done, ...counts }, () => record({ ...target, ...counts }));
  if (!done) sayUnconfirmed('deleted');
};
