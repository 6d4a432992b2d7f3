import type { JobMessage } from '../domain/job-messages.ts';
import { describeError, log } from '../log.ts';
import { changedItem } from '../store/keys.ts';
import type { TableChange } from '../store/table-changes.ts';
import type { EndpointsItem } from './webhook-endpoints.ts';

type Services = { jobQueue: { send(message: JobMessage<'resumeDeliveries'>): Promise<void> } };

/** Resumes the deliveries of users whose suspension has ended. Returns the first change that failed. */
export const resumeUsers = async (changes: TableChange[], { jobQueue }: Services): Promise<TableChange | undefined> => {
  for (const change of changes) {
    const item = changedItem(change.key);
    if (item?.kind !== 'endpoints') continue;
    const { before, after } = change as TableChange<EndpointsItem>;
    if (!before?.suspended || !after || after.suspended) continue;
    const { requestId } = change;
    try {
      for (const endpointId of Object.keys(after.endpoints))
        await jobQueue.send({ job: 'resumeDeliveries', uid: item.uid, endpointId, requestId });
    } catch (error) {
      log('error', { requestId, job: 'readChanges', cause: describeError(error as Error) });
      return change;
    }
  }
  return undefined;
};
