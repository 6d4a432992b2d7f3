import type { Scope } from '../domain/api-keys.ts';
import type { DeliveryWait, DisabledReason, WebhookDelivery, WebhookEndpoint } from '../domain/webhooks.ts';

/** An encrypted secret with its request and API key. It signs until `endsAt` (Unix milliseconds). */
export type SealedSecret = { sealed: string; createdBy: string; keyId: string; endsAt?: number };

/** An endpoint as it is stored. Times are Unix milliseconds. */
export type StoredEndpoint = WebhookEndpoint & {
  secrets: SealedSecret[];
  /** The scopes of its key, if the key has a list. */
  scopes?: Scope[];
  testedAt?: number;
  /** The time of the last delivery before its confirmation. */
  triedAt?: number;
  /** Set for endpoints of `webhooks listen`, which expire then. */
  listeningUntil?: number;
  /** The delivery that probes a failing or unconfirmed endpoint. Its next attempt is due before `until`. */
  probe?: { deliveryId: string; until: number };
  /** The user is suspended, as the item of all endpoints says. */
  isSuspended?: boolean;
};

/** The state of an endpoint at a time. `probe` is the delivery that probes it, unless that is long overdue. */
export type EndpointState =
  /** It is off: its user or the service has disabled it. */
  | { name: 'disabled' }
  /** Its user is suspended. */
  | { name: 'suspended' }
  /** Its address has never answered with 2xx. */
  | { name: 'unconfirmed'; probe?: string; nextTrialAt: number }
  /** It has failed for a while. */
  | { name: 'failing'; probe?: string }
  | { name: 'healthy' };

/** What happens to a delivery now: it is sent, comes again at a time (Unix milliseconds), is parked, or ends. */
export type DeliveryStep = { kind: 'send' } | { kind: 'later'; at: number } | { kind: 'park' } | { kind: 'end' };

/** The result of a delivery, with the next attempt (Unix milliseconds) if any. */
export type DeliveryOutcome =
  | { kind: 'success' }
  | { kind: 'gone' }
  | { kind: 'failure'; deliveryId: string; nextAt?: number };

/** After this time without success, one delivery probes, and the rest wait. */
const restAfterMilliseconds = 60 * 1000;
/** Another delivery takes the place of a probe overdue by this time. */
const probeGraceMilliseconds = 60 * 60 * 1000;
/** Failing for this long without a success disables an endpoint. */
const disableAfterMilliseconds = 5 * 24 * 60 * 60 * 1000;
/** The minimum interval between attempts at an unconfirmed endpoint: with tests, ten requests a minute. */
const trialMilliseconds = 15_000;

export const endpointState = (
  { active, isSuspended, confirmedAt, failingSince, triedAt = 0, probe: current }: StoredEndpoint,
  at = Date.now(),
): EndpointState => {
  if (!active) return { name: 'disabled' };
  if (isSuspended) return { name: 'suspended' };
  const probe = current && current.until > at ? current.deliveryId : undefined;
  if (confirmedAt === undefined) return { name: 'unconfirmed', probe, nextTrialAt: triedAt + trialMilliseconds };
  const isFailing = failingSince !== undefined && at - Date.parse(failingSince) >= restAfterMilliseconds;
  return isFailing ? { name: 'failing', probe } : { name: 'healthy' };
};

/** Decides what happens to a delivery. A user may request one of an endpoint that fails. */
export const decideDelivery = (
  state: EndpointState,
  { deliveryId, isRequested = false }: { deliveryId: string; isRequested?: boolean },
  at = Date.now(),
): DeliveryStep => {
  switch (state.name) {
    case 'disabled':
      return { kind: 'end' };
    case 'suspended':
      return { kind: 'park' };
    case 'unconfirmed':
      if (waitsForProbe(state, deliveryId)) return { kind: 'park' };
      return state.nextTrialAt > at ? { kind: 'later', at: state.nextTrialAt } : { kind: 'send' };
    case 'failing':
      return !isRequested && waitsForProbe(state, deliveryId) ? { kind: 'park' } : { kind: 'send' };
    case 'healthy':
      return { kind: 'send' };
  }
};

const waitsForProbe = ({ probe }: { probe?: string }, deliveryId: string) =>
  probe !== undefined && probe !== deliveryId;

/** Returns what a pending delivery waits for. Without an endpoint, its next attempt ends it. */
export const findWait = (
  { deliveryId, nextAttemptAt }: Pick<WebhookDelivery, 'deliveryId' | 'nextAttemptAt'>,
  endpoint: StoredEndpoint | undefined,
  at = Date.now(),
): DeliveryWait => {
  // A suspended user's deliveries to a disabled endpoint end after the suspension.
  if (endpoint?.isSuspended) return 'suspension';
  if (nextAttemptAt && Date.parse(nextAttemptAt) > at) return 'retry';
  const state = endpoint && endpointState(endpoint, at);
  if (!state || decideDelivery(state, { deliveryId }, at).kind !== 'park') return 'attempt';
  return state.name === 'unconfirmed' ? 'confirmation' : 'probe';
};

/** Returns an endpoint that a delivery tries now. The same endpoint: it needs no confirmation, or is not to be tried now. */
export const endpointTried = (endpoint: StoredEndpoint, deliveryId: string, at: number): StoredEndpoint => {
  const state = endpointState(endpoint, at);
  if (state.name !== 'unconfirmed' || decideDelivery(state, { deliveryId }, at).kind !== 'send') return endpoint;
  return { ...endpoint, triedAt: at, probe: { deliveryId, until: at + probeGraceMilliseconds } };
};

/** Returns the endpoint after a delivery at a time (Unix milliseconds), the same if unchanged. */
export const endpointAfter = (endpoint: StoredEndpoint, result: DeliveryOutcome, at: number): StoredEndpoint => {
  const { failingSince = new Date(at).toISOString(), probe, ...healthy } = endpoint;
  if (result.kind === 'success') {
    if (endpoint.failingSince === undefined && endpoint.confirmedAt !== undefined) return endpoint;
    return { confirmedAt: new Date(at).toISOString(), ...healthy };
  }
  if (!endpoint.active) return endpoint;
  const disabled = (disabledReason: DisabledReason): StoredEndpoint => ({
    ...healthy,
    ...(endpoint.failingSince && { failingSince }),
    active: false,
    disabledAt: new Date(at).toISOString(),
    disabledReason,
  });
  if (result.kind === 'gone') return disabled('gone');
  if (at - Date.parse(failingSince) >= disableAfterMilliseconds) return disabled('failing');
  if (probe && probe.until > at && probe.deliveryId !== result.deliveryId) return endpoint;
  const { deliveryId, nextAt } = result;
  const next = nextAt === undefined ? {} : { probe: { deliveryId, until: nextAt + probeGraceMilliseconds } };
  return { ...healthy, failingSince, ...next };
};
