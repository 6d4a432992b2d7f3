import { currentRequestId } from '../cause.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { closeWhenQuiet, publishServices } from '../webhooks/publish.ts';
import { queueJob, queueWorker } from './job.ts';

/** Sends the event of a request that changed fewer numbers of a block list than it named, once no more of them arrive. */
export const closeBlockListEvent = queueJob({
  name: 'closeBlockListEvent',
  message: jobMessages.closeBlockListEvent,
  services: publishServices,
  timeoutSeconds: 30,

  handle: ({ uid, agentId, eventId, token, quietSeconds }, services) => {
    const list = agentId === undefined ? { uid } : { agentId };
    const requestId = currentRequestId();
    return closeWhenQuiet({ list, uid, eventId, token, quietSeconds, requestId }, services);
  },
});

export const handler = queueWorker(closeBlockListEvent);
