import { consents } from '../consents/consents.ts';
import {
  type ConsentFailure,
  ConsentsRequest,
  type NewConsent,
  RecordedConsents,
  readConsent,
  toConsentFailure,
} from '../domain/consents.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { timeOfUlid } from '../domain/identifiers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { findLastTableCall } from '../http/last-table-call.ts';
import { encodeRequest } from '../store/block-list/blocked-number.ts';

/** Records consents of people, and revocations. */
export const recordConsents = endpoint({
  name: 'recordConsents',
  method: 'POST',
  path: '/consents',
  summary: 'Record consents',
  description: `Records up to ${formatLimit('consentsPerRequest')} consents, or revocations, in one request. They are processed independently: each one is in \`recorded\`, or in \`failed\` with the reason, in the order sent. A record is never changed or deleted: a later one corrects it. Of the records with a purpose, or with \`*\`, the one with the latest \`at\` holds, and at the same time a revocation. Sending the same record again adds nothing. A record without \`at\` gets the time of the request: to send it again, repeat its Idempotency-Key. Both forms of a number are one person. An agent whose \`configuration.calling.consent\` names a purpose calls nobody without a consent.`,
  caller: { kind: 'key', scope: 'block-list', user: ({ body }) => body },
  memoryMegabytes: 1024,
  services: { consents: consents.for('record') },
  body: ConsentsRequest,
  response: RecordedConsents,
  errorDescriptions: { 400: 'The body or one of its consents is invalid.' },

  async handle({ body: { uid, consents: sent }, creationId, receivedAt }, { consents }) {
    const read = sent.map((one) => readConsent(one, timeOfUlid(creationId)));
    const valid = read.filter((one): one is NewConsent => !('code' in one));
    const recordedBy = encodeRequest(creationId, valid);
    const outcomes = await consents.record(uid, valid, { recordedBy, until: findLastTableCall(receivedAt) });
    const outcomeOf = new Map(valid.map((consent, index) => [consent, outcomes[index]]));
    const recorded: (Pick<NewConsent, 'number' | 'purpose' | 'state' | 'at'> & { consentId: string })[] = [];
    const failed: ConsentFailure[] = [];
    for (const [index, one] of read.entries()) {
      if ('code' in one) {
        failed.push(one);
        continue;
      }
      const outcome = outcomeOf.get(one) ?? 'temporarily_unavailable';
      const { number, purpose, state, at } = one;
      if (typeof outcome === 'string') failed.push(toConsentFailure(sent[index]?.number ?? number, outcome));
      else recorded.push({ consentId: outcome.entry.consentId, number, purpose, state, at });
    }
    return { recorded, failed };
  },
});

export const handler = lambda(recordConsents);
