/**
 * The maximum number of seconds to wait for a condition that must come true. It only ends a test that fails, however busy the machine
 * is: in the emulated deployment, a few processes do the background work of all tests.
 */
export const patienceSeconds = process.env.DEPLOYED ? 300 : 50;
