import { finishDeletion } from '../../functions/jobs/finish-deletion.ts';
import { accessKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { deliverMessage } from './deliver-message.ts';
import type { World } from './world.ts';

export const remove = (world: Pick<World, 'call'>, agentId: string, apiKey?: string) =>
  world.call('DELETE', `/agents/${agentId}`, apiKey === undefined ? {} : { apiKey });

export const deliverDeletion = (agentId: string) =>
  deliverMessage(finishDeletion, { job: 'finishDeletion', uid: 'somebody', agentId });

/** Lets the time pass in which requests that began before the deletion may still write. */
export const becomeQuiet = (agentId: string) => table.get().change(accessKey(agentId), { set: { quietAt: 1 } });
