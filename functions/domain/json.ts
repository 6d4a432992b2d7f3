import { createHash } from 'node:crypto';

/** Whether a JSON value nests arrays and objects deeper than `most` levels; the outermost is level 1. */
export const isDeeperThan = (value: unknown, most: number): boolean => {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const containers = level.filter((item): item is object => typeof item === 'object' && item !== null);
    if (containers.length > 0 && depth === most) return true;
    level = containers.flatMap((item) => Object.values(item));
  }
  return false;
};

/** Whether a JSON value holds a number that no double is large enough for: written again, it would be `null`. */
export const holdsInfinity = (value: unknown): boolean => {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsInfinity);
};

/** The UTF-8 bytes a value takes as JSON. */
export const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '');

/** A hash that two values share exactly when they say the same, in whatever order their fields stand. */
export const hashOfJson = (value: unknown) =>
  createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('base64url');

/** Arrays stay arrays; an object becomes `{ fields }`, so that neither can be taken for the other. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const object = value as Record<string, unknown>;
  return {
    fields: Object.keys(object)
      .sort()
      .map((key) => [key, sorted(object[key])]),
  };
};
