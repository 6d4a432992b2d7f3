import { expect, it } from 'vitest';
import type { JobMessage } from '../../functions/domain/job-messages.ts';
import { webhookEndpointsKey } from '../../functions/store/keys.ts';
import { resumeUsers } from '../../functions/webhooks/resume-users.ts';

it('the deliveries of a user resume under the id of the request that ended the suspension', async () => {
  const sent: JobMessage<'resumeDeliveries'>[] = [];
  const jobQueue = { send: async (message: JobMessage<'resumeDeliveries'>) => void sent.push(message) };
  const key = webhookEndpointsKey('acme');
  const after = { ...key, endpoints: { one: {}, two: {} } };
  const change = { key, before: { ...after, suspended: true }, after, at: 0, sequenceNumber: '1' };
  expect(await resumeUsers([{ ...change, requestId: 'request-1' }], { jobQueue })).toBeUndefined();
  const message = { job: 'resumeDeliveries', uid: 'acme', requestId: 'request-1' };
  expect(sent).toEqual(['one', 'two'].map((endpointId) => ({ ...message, endpointId })));
});
