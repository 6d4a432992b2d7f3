import { publishServices } from '../webhooks/publish.ts';
import { publishChanges } from '../webhooks/publish-changes.ts';
import { streamJob, streamWorker } from './job.ts';

/** Reads the table's stream, which is the outbox of webhooks. */
export const readChanges = streamJob({
  name: 'readChanges',
  services: publishServices,
  timeoutSeconds: 60,

  handle: publishChanges,
});

export const handler = streamWorker(readChanges);
