import type { AnyEndpoint } from '../../functions/http/endpoint.ts';
import { StartupError } from './started.ts';

/** The maximum rates of requests, as a deployment has them (`requestsPerSecond`, `callTimeRequestsPerSecond`). Undefined: no limit. */
export type Rates = { requestsPerSecond?: number; callTimeRequestsPerSecond?: number };

/** Reads the rates from the environment. Without a rate of their own, operations at call time have that of the others. */
export const readRates = (env: NodeJS.ProcessEnv): Rates => {
  const [requestsPerSecond, callTimeRequestsPerSecond] = ['REQUESTS_PER_SECOND', 'CALL_TIME_REQUESTS_PER_SECOND'].map(
    (name) => {
      const value = env[name];
      if (value && (!/^[1-9]\d*$/.test(value) || Number(value) > 10_000))
        throw new StartupError(`${name} must be a whole number from 1 to 10,000, not ${JSON.stringify(value)}.`);
      return value ? Number(value) : undefined;
    },
  );
  return { requestsPerSecond, callTimeRequestsPerSecond: callTimeRequestsPerSecond ?? requestsPerSecond };
};

/**
 * Returns a function that admits a request, as API Gateway does: each operation at call time has a rate of its own, all others have
 * one together. Up to twice the rate may come at once. `now` is in milliseconds.
 */
export const rateLimits = ({ requestsPerSecond, callTimeRequestsPerSecond }: Rates) => {
  const ofOthers = tokenBucket(requestsPerSecond);
  const own = new Map<AnyEndpoint, ReturnType<typeof tokenBucket>>();
  return (endpoint: AnyEndpoint, now: number): boolean => {
    if (!endpoint.atCallTime) return ofOthers(now);
    const bucket = own.get(endpoint) ?? tokenBucket(callTimeRequestsPerSecond);
    own.set(endpoint, bucket);
    return bucket(now);
  };
};

const tokenBucket = (ratePerSecond = Number.POSITIVE_INFINITY) => {
  const size = 2 * ratePerSecond;
  let tokens = size;
  let filledAt: number | undefined;
  return (now: number): boolean => {
    if (size === Number.POSITIVE_INFINITY) return true;
    tokens = Math.min(size, tokens + ((now - (filledAt ?? now)) * ratePerSecond) / 1000);
    filledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
};
