import { type Call, outcomeFields } from '../../domain/calls.ts';

type History = NonNullable<Call['outcomeHistory']>;

/**
 * Packs the changes of an outcome, so that a call with its full history stays under one kilobyte: the ids of keys, then for
 * each change the milliseconds since the one before, the position of its key, and its fields as bits.
 */
export const packHistory = (history: History): string => {
  const keyIds = [...new Set(history.map(({ keyId }) => keyId))];
  const times = history.map(({ at }) => Date.parse(at));
  const changes = history.map(({ keyId, fields }, index) => [
    (times[index] as number) - (times[index - 1] ?? 0),
    keyIds.indexOf(keyId),
    outcomeFields.reduce((bits, field, bit) => bits | (fields.includes(field) ? 1 << bit : 0), 0),
  ]);
  return JSON.stringify([keyIds, ...changes]);
};

export const unpackHistory = (packed: string): History => {
  const [keyIds, ...changes] = JSON.parse(packed) as [string[], ...[number, number, number][]];
  let time = 0;
  return changes.map(([milliseconds, key, bits]) => {
    time += milliseconds;
    const fields = outcomeFields.filter((_, bit) => bits & (1 << bit));
    return { at: new Date(time).toISOString(), keyId: keyIds[key] as string, fields };
  });
};
