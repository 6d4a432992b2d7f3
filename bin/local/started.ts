/** A running part of the local run. */
export type Started = { stop(): Promise<void> };

/** Thrown when the local run cannot start. The message is one sentence that names the remedy. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
