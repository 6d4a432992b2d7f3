/** The settings of a deployment as given, by name. An empty text removes a setting. */
export type GivenSettings = Record<string, string>;

/** Describes each setting that a deployment changes: `logDays: 30 → 14`. */
export const changedSettings = (before: GivenSettings, after: GivenSettings): string[] => {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names
    .filter((name) => (before[name] || '') !== (after[name] || ''))
    .map((name) => `${name}: ${before[name] || 'default'} → ${after[name] || 'default'}`);
};

/** Returns the names of deployed settings that are no longer given. */
export const forgottenSettings = (before: GivenSettings, after: GivenSettings): string[] =>
  Object.keys(before).filter((name) => before[name] && after[name] === undefined);
