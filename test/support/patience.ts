/**
 * The maximum number of seconds to wait for a condition that must come true. It only ends a test that fails, however busy the machine
 * is.
 */
export const patienceSeconds = Number(process.env.PATIENCE_SECONDS);

/** Returns the part of a vitest configuration that sets how long its tests wait. */
export const makePatience = (seconds: number) => ({
  env: { PATIENCE_SECONDS: String(seconds) },
  // Most of what is polled are requests, which cost more than they wait.
  expect: { poll: { timeout: seconds * 1000, interval: 200 } },
});
