/** A running part of the local run. */
export type Started = { stop(): Promise<void> };

/** The local run cannot start; the message is one sentence that names the remedy. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
