import { expect, it } from 'vitest';
import { type Call, withFacts } from '../../functions/domain/calls.ts';
import { parseJson } from '../../functions/domain/json.ts';
import type { PlatformName } from '../../functions/domain/voice-platforms.ts';
import { factsAfter, toStorableFacts } from '../../functions/hooks/ended-call.ts';
import { platforms } from '../../functions/hooks/platforms/platforms.ts';
import { caller, own } from '../support/voice-platforms.ts';

type Body = Record<string, unknown>;

const retell = (event: string, cents?: number): Body => ({
  event,
  call: { call_id: '1', ...(cents !== undefined && { call_cost: { combined_cost: cents } }) },
});
const vapi = (cost: number, timestamp?: number): Body => ({
  message: { type: 'end-of-call-report', call: { id: '1' }, cost, timestamp },
});
const elevenlabs = (metadata: object, event_timestamp?: number): Body => ({
  type: 'post_call_transcription',
  event_timestamp,
  data: { conversation_id: '1', metadata },
});

/** Returns a call after events of its platform. `null` is a change by its owner, who corrects the details. */
const after = (platform: PlatformName, bodies: (Body | null)[], mayReplace = true) => {
  let found: Call | undefined;
  for (const body of bodies) {
    const facts = body
      ? reported(platform, body, found, mayReplace)
      : { ...(found as Call), details: { cost: corrected } };
    found = withFacts(found, 'a', 'c', facts);
  }
  return found;
};

const reported = (platform: PlatformName, body: Body, found: Call | undefined, mayReplace: boolean) => {
  const event = platforms[platform].read({ body, query: {} });
  if (event.type !== 'end') return found as Call;
  const start = { uid: 'u', direction: 'inbound', agentId: 'a', other: caller, own, isGuess: false } as const;
  return factsAfter(event, toStorableFacts(event, { ...start, callId: undefined }), found, mayReplace);
};

const corrected = { amount: 7, currency: 'EUR' };
const [ended, analyzed, transferred] = [
  retell('call_ended', 20),
  retell('call_analyzed', 22.5),
  retell('transfer_ended', 122.5),
];

it.each<[string, PlatformName, (Body | null)[], amount: number, currency?: string]>([
  ['the analysis tells more than the end', 'retell', [ended, analyzed], 0.225],
  ['the analysis tells less', 'retell', [retell('call_ended', 30), analyzed], 0.225],
  ['the end told nothing', 'retell', [retell('call_ended'), analyzed], 0.225],
  ['the end told 0', 'retell', [retell('call_ended', 0), analyzed], 0.225],
  ['the transferred leg is last', 'retell', [ended, analyzed, transferred], 1.225],
  ['the transferred leg arrives first', 'retell', [transferred, analyzed, ended], 1.225],
  ['the end arrives late', 'retell', [analyzed, ended], 0.225],
  ['the end arrives again', 'retell', [ended, analyzed, ended, ended], 0.225],
  ['the analysis tells no cost', 'retell', [ended, retell('call_analyzed')], 0.2],
  ['another event of the transfer tells a cost', 'retell', [ended, retell('transfer_started', 500)], 0.2],
  ['a second report is later', 'vapi', [vapi(0.1, 1000), vapi(0.12, 2000)], 0.12],
  ['a second report is older', 'vapi', [vapi(0.12, 2000), vapi(0.1, 1000)], 0.12],
  ['no report has a time', 'vapi', [vapi(0.1), vapi(0.12)], 0.12],
  [
    'credits become money',
    'elevenlabs',
    [elevenlabs({ cost: 296 }, 1), elevenlabs({ cost: 296, cost_fiat: 0.04 }, 2)],
    0.04,
  ],
  ['credits arrive late', 'elevenlabs', [elevenlabs({ cost_fiat: 0.04 }, 2), elevenlabs({ cost: 296 }, 1)], 0.04],
  ['the owner has corrected it', 'retell', [ended, null, analyzed, transferred], 7, 'EUR'],
])(
  'of several costs the later report in the platform’s order counts: %s',
  (_, platform, bodies, amount, currency = 'USD') => {
    expect(after(platform, bodies)?.details?.cost).toEqual({ amount, currency });
  },
);

it('a cost that comes by a key in the address fills what is missing, and any report by a signature replaces it', () => {
  expect(after('retell', [retell('call_ended'), analyzed, transferred], false)?.details?.cost).toMatchObject({
    amount: 0.225,
  });
  const found = after('retell', [transferred], false);
  const event = platforms.retell.read({ body: ended, query: {} });
  if (event.type !== 'end') throw new Error('The event is no end.');
  const facts = factsAfter(event, { ...found, details: event.facts.details } as Call, found, true);
  expect(facts.details?.cost).toEqual({ amount: 0.2, currency: 'USD' });
});

it('a cost that is replaced leaves the other details as they were sent', () => {
  const found = after('retell', [ended]) as Call;
  const details = parseJson('{"cost":{"amount":0.2,"currency":"USD"},"id":12345678901234567890,"price":1.50}');
  const event = platforms.retell.read({ body: analyzed, query: {} });
  if (event.type !== 'end') throw new Error('The event is no end.');
  const facts = factsAfter(
    event,
    { ...found, details: event.facts.details },
    { ...found, details: details as Body },
    true,
  );
  expect(JSON.stringify(facts.details)).toBe(
    '{"cost":{"amount":0.225,"currency":"USD"},"id":12345678901234567890,"price":1.50}',
  );
});
