import { formatWhole } from './format-whole.ts';
import { limits } from './limits.ts';

/** Returns a limit as texts name it: `1,000`, `50 KB`, `15 minutes`. */
export const formatLimit = (name: keyof typeof limits): string => {
  const limit = limits[name];
  if (name.endsWith('Bytes')) return formatBytes(limit);
  return name.endsWith('Seconds') ? formatSeconds(limit) : formatWhole(limit);
};

/** Formats bytes, and never rounds them up. */
const formatBytes = (bytes: number): string => {
  const [divisor, unit] = bytes < 1024 * 1024 ? [1024, 'KB'] : [1024 * 1024, 'MB'];
  return `${Math.floor((bytes / divisor) * 10) / 10} ${unit}`;
};

const formatSeconds = (seconds: number): string => {
  if (seconds % 3600 === 0) return seconds === 3600 ? '1 hour' : `${seconds / 3600} hours`;
  return seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} seconds`;
};
