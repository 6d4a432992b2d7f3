import { beginJob, queueSender } from '../clients/job-queue.ts';
import { hashingSecret } from '../clients/secrets.ts';
import { AcceptedErasure, ErasureRequest } from '../domain/erasures.ts';
import { newIdentifier } from '../domain/identifiers.ts';
import { erasures } from '../erasure/erasures.ts';
import { findPerson } from '../erasure/person.ts';
import { countServices } from '../erasure/person-kinds.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { hashOfNumber } from '../store/erased-people.ts';

/** Starts the erasure of a person, by phone number, from all data that a user owns. */
export const createErasure = endpoint({
  name: 'createErasure',
  method: 'POST',
  path: '/erasures',
  summary: 'Erase a person',
  description:
    'Erases a person, identified by phone number, from the data of the user and of all agents that the user owns. Calls, transcripts, attempts to call, given consents, exports of the person and stored responses to Idempotency-Keys that contain the number are deleted. Entries of block lists stay blocked without their reason, and revocations of consents stay without proof and seller. With `blockList: "remove"` these are deleted, too. The erasure runs in the background; `GET /erasures/{erasureId}` returns its status. Configurations of agents and texts that the user uploaded or wrote (documents, websites, `details` and metadata of other calls) are not searched. With `dryRun` the data are only counted. The key must have the scope `privacy`, which a key without a list of scopes does not have.',
  caller: { kind: 'key', scope: 'privacy', user: ({ body }) => body },
  services: {
    ...countServices,
    erasures: erasures.for('add'),
    jobQueue: queueSender('erasePerson'),
    secret: hashingSecret,
  },
  body: ErasureRequest,
  response: AcceptedErasure,

  async handle({ body: { uid, number, blockList, dryRun }, creationId }, services) {
    const { erasures, jobQueue, secret } = services;
    const found = await findPerson(uid, number, services);
    if (dryRun) return { status: 'dry_run' as const, found };
    const numberHash = hashOfNumber(await secret.read(), uid, number);
    const erasureId = newIdentifier('erasure', creationId);
    const message = { job: 'erasePerson', uid, erasureId } as const;
    await beginJob(jobQueue, message, () => erasures.add({ uid, erasureId, number, numberHash, blockList }));
    return { erasureId, status: 'pending' as const, found };
  },
});

export const handler = lambda(createErasure);
