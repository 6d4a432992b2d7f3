import * as z from 'zod/mini';
import { consents } from '../consents/consents.ts';
import { Consent, PurposeOrAll } from '../domain/consents.ts';
import { describe, listField } from '../domain/describe.ts';
import { Uid } from '../domain/identifiers.ts';
import { describedPage, paging } from '../domain/paging.ts';
import { PhoneNumberInQuery } from '../domain/phone-numbers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';

/** Lists the records of a person's consents, newest first. */
export const listConsents = endpoint({
  name: 'listConsents',
  method: 'GET',
  path: '/consents',
  summary: 'List the consents of a person',
  description:
    'Returns the consents and revocations of a person in both forms of the number, with their proofs, newest `at` first. With `purpose`, only the records of this purpose and of `*`, which explain what `GET /consents/check` returns.',
  caller: { kind: 'key', scope: 'block-list', user: ({ query }) => query },
  services: { consents: consents.for('page') },
  query: z.object({
    uid: Uid,
    number: PhoneNumberInQuery.check(
      describe('The number of the person, in E.164 format.', '+14155550100', { type: 'string' }),
    ),
    purpose: z.optional(
      PurposeOrAll.check(describe('Only records of this purpose, and of `*`, which stands for all.', 'marketing')),
    ),
    ...paging,
  }),
  response: describedPage('A page of the records.', { consents: listField(Consent, 'The records, newest first.') }),

  async handle({ query: { uid, number, ...query } }, { consents }) {
    const { items, ...next } = await consents.page(uid, number, query);
    return { consents: items, ...next };
  },
});

export const handler = lambda(listConsents);
