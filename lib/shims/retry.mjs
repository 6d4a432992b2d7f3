// Of the two ways to retry the standard one, which is the default; the other slows a client down, and is nobody's choice here.
import { normalizeProvider } from '@smithy/core/client';
import { Retry, StandardRetryStrategy } from '../../node_modules/@smithy/core/dist-es/submodules/retry/index.js';

export * from '../../node_modules/@smithy/core/dist-es/submodules/retry/index.js';

export const resolveRetryConfig = (config, { defaultMaxAttempts = 3, defaultBaseDelay = Retry.delay() } = {}) => {
  const maxAttempts = normalizeProvider(config.maxAttempts ?? defaultMaxAttempts);
  const open = async () => new StandardRetryStrategy({ maxAttempts: await maxAttempts(), baseDelay: defaultBaseDelay });
  let strategy;
  const retryStrategy = () => {
    strategy ??= open();
    return strategy;
  };
  return Object.assign(config, { maxAttempts, retryStrategy });
};
