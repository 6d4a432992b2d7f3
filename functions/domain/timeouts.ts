/** The time limits that hold together, in seconds. Each is derived from the one above it. */

/** API Gateway responds 504 after 30 seconds: a function of the API ends before, so that its own log says why. */
export const functionTimeoutSeconds = 29;

/** When a request to the service's own API ends, made by a function that API Gateway waits for: it can still say so. */
export const ownRequestTimeoutSeconds = functionTimeoutSeconds - 2;

/** How long a request holds its Idempotency-Key: until its function has certainly ended. */
export const idempotencyClaimSeconds = functionTimeoutSeconds + 1;

/** When a job completes the work of a request whose function may have died: twice its longest life. */
export const rescueDelaySeconds = 2 * idempotencyClaimSeconds;

/** How long one run of a job may take. */
export const jobTimeoutSeconds = 300;

/** When another message continues the work of a job whose function may have died at every delivery of the first one. */
export const jobRescueDelaySeconds = 2 * jobTimeoutSeconds;

/** How long a request to the build chat may take (contract 4.8). */
export const chatTimeoutSeconds = 60;

/** When the chat's response has ended, whatever the model, a tool or the reader does: 2 seconds before its function. */
export const chatStreamSeconds = chatTimeoutSeconds - 2;

/** When the model must have answered: a second before that, for the end of the stream. */
export const chatAnswerSeconds = chatStreamSeconds - 1;
