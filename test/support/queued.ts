import { emulatorHeaders, target } from './world.ts';

/** Returns true while a message of a job of the local run names this id: one that waits, or one that the job works on. */
export const isQueued = async (id: string, job = ''): Promise<boolean> => {
  const response = await fetch(`${target.endpoints.sqs}/_fauxqs/queues/jobs`, { headers: emulatorHeaders });
  const { messages } = (await response.json()) as { messages: object };
  const bodies = JSON.stringify(messages).split('"body"');
  return bodies.some((body) => body.includes(id) && body.includes(job));
};
