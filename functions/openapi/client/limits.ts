/** What a response says about the limit of its key (`RateLimit-Policy`, `RateLimit`) and about a wait (`Retry-After`). */
export type RequestLimits = {
  /** The requests of a window, and its seconds. Undefined for a key without a limit. */
  limit: number | undefined;
  windowSeconds: number | undefined;
  /** The requests that are left, and the seconds until there are more. */
  remaining: number | undefined;
  resetSeconds: number | undefined;
  /** The seconds after which the same request may succeed. */
  retryAfterSeconds: number | undefined;
};

/** Reads the three headers of a response: `readLimits(response).remaining`. */
export const readLimits = ({ headers }: Response): RequestLimits => {
  const policy = headers.get('ratelimit-policy');
  const state = headers.get('ratelimit');
  return {
    limit: readParameter(policy, 'q'),
    windowSeconds: readParameter(policy, 'w'),
    remaining: readParameter(state, 'r'),
    resetSeconds: readParameter(state, 't'),
    retryAfterSeconds: readInteger(headers.get('retry-after')),
  };
};

/** Returns a parameter of the item "key" of a structured field. Items of gateways and proxies may stand beside it. */
const readParameter = (field: string | null, name: string): number | undefined => {
  const [, parameters = ''] = /(?:^|,)\s*"key"((?:\s*;[^,;]+)*)/.exec(field ?? '') ?? [];
  return readInteger(new RegExp(`;\\s*${name}=(\\d+)`).exec(parameters)?.[1]);
};

const readInteger = (text: string | null | undefined): number | undefined =>
  /^\d+$/.test(text ?? '') ? Number(text) : undefined;
