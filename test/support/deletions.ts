import type { SQSEvent } from 'aws-lambda';
import { finishDeletion } from '../../functions/jobs/finish-deletion.ts';
import { type AnyJob, worker } from '../../functions/jobs/job.ts';
import { agents } from '../../functions/store/agents.ts';
import { accessKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { newUser, type World } from './world.ts';

export const remove = (world: Pick<World, 'call'>, agentId: string, apiKey?: string) =>
  world.call('DELETE', `/agents/${agentId}`, apiKey === undefined ? {} : { apiKey });

/** Delivers a message to a job, in this process; whether it took it. */
export const deliver = async (job: AnyJob, message: object): Promise<boolean> => {
  const { batchItemFailures } = (await worker(job)({
    Records: [{ messageId: 'm', body: JSON.stringify(message) }],
  } as SQSEvent)) as { batchItemFailures: unknown[] };
  return batchItemFailures.length === 0;
};

export const deliverDeletion = (agentId: string) => deliver(finishDeletion, { job: 'finishDeletion', agentId });

/** Lets the time pass in which requests that began before the deletion may still write. */
export const becomeQuiet = (agentId: string) => table.get().change(accessKey(agentId), { set: { quietAt: 1 } });

/** Gives another user access to an agent. */
export const grant = async (world: World) => {
  const guest = await newUser();
  await agents.get().grant(world.agentId, world.uid, guest.uid);
  return guest;
};
