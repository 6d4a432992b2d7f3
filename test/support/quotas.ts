import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { countKey } from '../../functions/store/keys.ts';
import type { Counter } from '../../functions/store/quotas.ts';
import type { DocumentRecord } from '../../functions/store/sources/documents.ts';
import { type Item, table } from '../../functions/store/table.ts';
import { chance, type Fault, injectFaults } from './faults.ts';

/** One request in five to DynamoDB goes wrong; one response in ten is lost. */
export const faults = (seed: number) => {
  const next = chance(seed);
  const kinds: Fault[] = ['lost response', 'lost response', 'conflict', 'throttle', 'server error'];
  injectFaults(() => (next() < 0.2 ? kinds[Math.floor(next() * kinds.length)] : undefined));
};

export const readCounter = (owner: { uid: string } | { agentId: string }) => table.get().get<Counter>(countKey(owner));

export const readCount = async (owner: { uid: string } | { agentId: string }) => (await readCounter(owner))?.count ?? 0;

export const listItems = async (...collections: { pk: string; prefix?: string }[]) => {
  const items: Item[] = [];
  for (const collection of collections) for await (const item of table.get().query(collection)) items.push(item);
  return items;
};

export const newDocument = (agentId: string, more: Partial<DocumentRecord> = {}): DocumentRecord => ({
  ...{ id: newIdentifier('doc'), agentId, name: 'a.txt', active: true, size: 1, status: 'pending', attempt: 'first' },
  ...{ lastUpdatedBy: 'user', lastUpdatedAt: '2026-03-01T10:00:00.000Z', ...more },
});

/** Counts the requests that succeeded, and collects the codes of the others. */
export const settled = async (work: Promise<unknown>[]) => {
  const outcomes = await Promise.allSettled(work);
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Error] : []));
  return { done: outcomes.length - errors.length, codes: errors.map((error) => (error as { code?: string }).code) };
};
