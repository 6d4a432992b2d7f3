import type { Agent } from '../../domain/agents.ts';
import { agentKeyInUse, phoneNumberInUse } from '../../domain/errors.ts';
import { when } from '../expressions.ts';
import { agentKeyEntryKey, agentNumberKey } from '../keys.ts';
import type { Item, Table, TransactionAction } from '../table.ts';

/** The unique fields of a user's agents. Each value has an entry. */
export const uniqueFields = [
  { field: 'phoneNumber', entryKey: agentNumberKey, inUse: phoneNumberInUse },
  { field: 'key', entryKey: agentKeyEntryKey, inUse: agentKeyInUse },
] as const;
export type UniqueValues = Partial<Pick<Agent, (typeof uniqueFields)[number]['field']>>;

/** Returns the keys of the entries of fields that have a value. */
export const entryKeys = (uid: string, values: UniqueValues, fields: readonly (typeof uniqueFields)[number][]) =>
  fields.flatMap(({ field, entryKey }) => {
    const value = values[field];
    return value ? [entryKey(uid, value)] : [];
  });

/** Names the user's agent that has the value of a unique field. */
export type UniqueEntry = Item & { agentId: string };

/** Returns the actions that move unique entries. They fail for another agent's value. */
export const moveEntries = (
  table: Table,
  former: UniqueValues,
  agent: Pick<Agent, 'uid' | 'agentId'> & UniqueValues,
): TransactionAction[] => {
  const { uid, agentId } = agent;
  const isFreeOrOwn = when`attribute_not_exists(pk) or agentId = ${agentId}`;
  const makeEntry = (key: Item): UniqueEntry => ({ ...key, agentId });
  const changed = uniqueFields.filter(({ field }) => former[field] !== agent[field]);
  return [
    ...entryKeys(uid, former, changed).map((key) => table.deleteAction(key, isFreeOrOwn)),
    ...entryKeys(uid, agent, changed).map((key) => table.putAction(makeEntry(key), isFreeOrOwn)),
  ];
};

/** Throws when another agent of the user has the number or the key. */
export const checkUnique = async (table: Table, agent: Agent): Promise<void> => {
  for (const unique of uniqueFields) {
    const [key] = entryKeys(agent.uid, agent, [unique]);
    const entry = key && (await table.get<UniqueEntry>(key));
    if (entry && entry.agentId !== agent.agentId) throw unique.inUse();
  }
};
