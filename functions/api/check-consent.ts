import * as z from 'zod/mini';
import { consentsLookup } from '../consents/consents.ts';
import { decideConsent, Purpose } from '../domain/consent-decisions.ts';
import { ConsentCheck } from '../domain/consents.ts';
import { DateTime } from '../domain/date-time.ts';
import { describe } from '../domain/describe.ts';
import { Uid } from '../domain/identifiers.ts';
import { PhoneNumberInQuery } from '../domain/phone-numbers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';

/** Checks whether a person has consented to a purpose. The key and the records are one read. */
export const checkConsent = endpoint({
  name: 'checkConsent',
  method: 'GET',
  path: '/consents/check',
  summary: 'Check the consent of a person',
  description:
    'Returns whether a person has consented to be called for a purpose, now or at another moment, and the record that decides. It does not apply `maxAgeDays`, a rule of agents: `POST /call-start-checks` does.',
  caller: {
    kind: 'key',
    scope: 'block-list',
    user: ({ query }) => query,
    prefetch: ({ query: { uid, number } }) => consentsLookup(uid, number),
  },
  query: z.object({
    uid: Uid,
    number: PhoneNumberInQuery.check(
      describe('The number of the person, in E.164 format.', '+14155550100', { type: 'string' }),
    ),
    purpose: Purpose,
    at: z.optional(
      DateTime.check(describe('The moment, also a past or a future one. Default: now.', '2026-03-01T10:00:00Z')),
    ),
  }),
  response: ConsentCheck,

  async handle({ query: { number, purpose, at }, found }) {
    const moment = at === undefined ? Date.now() : Date.parse(at);
    const { state, entry } = decideConsent(found, purpose, moment);
    const times = [entry?.at, entry?.expiresAt].map((time) =>
      time === undefined ? time : new Date(time).toISOString(),
    );
    return { number, purpose, state, consentId: entry?.consentId, at: times[0], expiresAt: times[1] };
  },
});

export const handler = lambda(checkConsent);
