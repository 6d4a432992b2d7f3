import { expect, it } from 'vitest';
import type { StoredEndpoint } from '../../functions/webhooks/endpoint-state.ts';
import { decideDelivery, endpointAfter, endpointState, findWait } from '../../functions/webhooks/endpoint-state.ts';
import { newEndpointRecord } from '../support/records.ts';

const at = Date.parse('2026-03-01T12:00:00.000Z');
const secondsAgo = (seconds: number) => new Date(at - seconds * 1000).toISOString();
const confirmed: StoredEndpoint = {
  ...newEndpointRecord('https://crm.example.com/hooks'),
  confirmedAt: secondsAgo(600),
};
const { confirmedAt: _, ...unconfirmed } = confirmed;
const failingSince = secondsAgo(61);
const makeProbe = (deliveryId: string, seconds = 60) => ({ probe: { deliveryId, until: at + seconds * 1000 } });

/** What happens to the delivery `own`, also if a user requests it, and what it waits for. */
const cases: [name: string, endpoint: StoredEndpoint, step: string, requested: string, wait: string][] = [
  ['healthy', confirmed, 'send', 'send', 'attempt'],
  [
    'failing for a moment',
    { ...confirmed, failingSince: secondsAgo(59), ...makeProbe('other') },
    'send',
    'send',
    'attempt',
  ],
  [
    'failing for a minute',
    { ...confirmed, failingSince: secondsAgo(60), ...makeProbe('other') },
    'park',
    'send',
    'probe',
  ],
  ['failing, probed by another', { ...confirmed, failingSince, ...makeProbe('other') }, 'park', 'send', 'probe'],
  ['failing, probed by itself', { ...confirmed, failingSince, ...makeProbe('own') }, 'send', 'send', 'attempt'],
  [
    'failing, with an overdue probe',
    { ...confirmed, failingSince, ...makeProbe('other', -1) },
    'send',
    'send',
    'attempt',
  ],
  ['failing, without a probe', { ...confirmed, failingSince }, 'send', 'send', 'attempt'],
  ['unconfirmed, never tried', unconfirmed, 'send', 'send', 'attempt'],
  ['unconfirmed, tried by another', { ...unconfirmed, ...makeProbe('other') }, 'park', 'park', 'confirmation'],
  [
    'unconfirmed, tried a moment ago',
    { ...unconfirmed, triedAt: at - 14_000, ...makeProbe('own') },
    'later',
    'later',
    'attempt',
  ],
  [
    'unconfirmed, tried a while ago',
    { ...unconfirmed, triedAt: at - 15_000, ...makeProbe('own') },
    'send',
    'send',
    'attempt',
  ],
  ['suspended', { ...confirmed, isSuspended: true }, 'park', 'park', 'suspension'],
  [
    'suspended and unconfirmed',
    { ...unconfirmed, ...makeProbe('other'), isSuspended: true },
    'park',
    'park',
    'suspension',
  ],
  ['disabled', { ...confirmed, failingSince, ...makeProbe('other'), active: false }, 'end', 'end', 'attempt'],
];

it.each(cases)(
  'a delivery to an endpoint that is %s is sent, waits or ends as it should, and says what it waits for',
  (_, endpoint, step, requested, wait) => {
    const decide = (isRequested: boolean) =>
      decideDelivery(endpointState(endpoint, at), { deliveryId: 'own', isRequested }, at).kind;
    expect([decide(false), decide(true), findWait({ deliveryId: 'own' }, endpoint, at)]).toEqual([
      step,
      requested,
      wait,
    ]);
  },
);

it('a delivery whose next attempt is not due yet waits for it, unless its user is suspended', () => {
  const delivery = { deliveryId: 'own', nextAttemptAt: new Date(at + 1000).toISOString() };
  const wait = (endpoint?: StoredEndpoint) => findWait(delivery, endpoint, at);
  expect([wait(confirmed), wait({ ...confirmed, failingSince, ...makeProbe('other') }), wait()]).toEqual([
    'retry',
    'retry',
    'retry',
  ]);
  expect(wait({ ...confirmed, isSuspended: true })).toBe('suspension');
});

it.each([
  [
    'has failed for almost five days',
    secondsAgo(4.9 * 24 * 60 * 60),
    { kind: 'failure', deliveryId: 'own' },
    undefined,
  ],
  ['has failed for five days', secondsAgo(5.1 * 24 * 60 * 60), { kind: 'failure', deliveryId: 'own' }, 'failing'],
  ['is gone', undefined, { kind: 'gone' }, 'gone'],
] as const)('an endpoint that %s is disabled, or is not, by its next failure', (_, since, outcome, disabledReason) => {
  const after = endpointAfter({ ...confirmed, failingSince: since }, outcome, at);
  expect([after.active, after.disabledReason]).toEqual([disabledReason === undefined, disabledReason]);
});
