/** The time limits that hold together, in seconds. Each is derived from the one above it. */

/** API Gateway responds 504 after 30 seconds: a function of the API ends before, so that its own log says why. */
export const functionTimeoutSeconds = 29;

/** When a request to the service's own API ends, made by a function that API Gateway waits for: it can still say so. */
export const ownRequestTimeoutSeconds = functionTimeoutSeconds - 2;

/** The time for which a request holds its Idempotency-Key: until its function has certainly ended. */
export const idempotencyClaimSeconds = functionTimeoutSeconds + 1;

/** The delay after which a job completes the work of a request whose function may have died. */
export const rescueDelaySeconds = 2 * idempotencyClaimSeconds;

/** The timeout of one run of a job. */
export const jobTimeoutSeconds = 300;

/** The delay after which another message continues the work of a job whose function may have died at every delivery of the first. */
export const jobRescueDelaySeconds = 2 * jobTimeoutSeconds;

/** The maximum duration of a request to the build chat. */
export const chatTimeoutSeconds = 60;

/** When the chat's response has ended, whatever the model, a tool or the reader does: 2 seconds before its function. */
export const chatStreamSeconds = chatTimeoutSeconds - 2;

/** When the model must have answered: a second before that, for the end of the stream. */
export const chatAnswerSeconds = chatStreamSeconds - 1;
