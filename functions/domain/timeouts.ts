import { limits } from './limits.ts';

/** The time limits that hold together, in seconds. Each is derived from the one above it. */

/** API Gateway responds 504 after 30 seconds. A function of the API ends earlier, so that its own log shows the reason. */
export const functionTimeoutSeconds = 29;

/** The deadline of a request to the service's own API by a function that API Gateway waits for. It leaves time to report the failure. */
export const ownRequestTimeoutSeconds = functionTimeoutSeconds - 2;

/** The time for which a request holds its Idempotency-Key: until its function has certainly ended. */
export const idempotencyClaimSeconds = functionTimeoutSeconds + 1;

/** The delay after which a job completes the work of a request whose function may have died. */
export const rescueDelaySeconds = 2 * idempotencyClaimSeconds;

/** The timeout of one run of a job. */
export const jobTimeoutSeconds = 300;

/** The delay after which work that no delivery of its message completed is continued. */
export const jobRescueDelaySeconds = 2 * jobTimeoutSeconds;

/** The interval at which a job looks whether the suspension of a user has ended, where a file of the user waits for it. */
export const suspendedDelaySeconds = 300;

/** The deadline of the chat's whole response. */
export const chatStreamSeconds = limits.chatSeconds;

/** The maximum duration of a request to the build chat. */
export const chatTimeoutSeconds = chatStreamSeconds + 2;

/** The deadline of the model, a second earlier, which leaves time for the end of the stream. */
export const chatAnswerSeconds = chatStreamSeconds - 1;
