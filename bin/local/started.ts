/** A part of the local run that was started. */
export type Started = { stop(): Promise<void> };

/** Why the local run cannot start, in a sentence that says what to do. */
export class StartupError extends Error {
  override readonly name = 'Unstartable';
}
