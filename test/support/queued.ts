import { emulatorHeaders, target } from './world.ts';

/** Returns true while a message of the local run's jobs names this id: one that waits, or one that a job works on. */
export const isQueued = async (id: string): Promise<boolean> => {
  const response = await fetch(`${target.endpoints.sqs}/_fauxqs/queues/jobs`, { headers: emulatorHeaders });
  const { messages } = (await response.json()) as { messages: object };
  return JSON.stringify(messages).includes(id);
};
