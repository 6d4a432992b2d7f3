import type { Scope } from '../../functions/domain/api-keys.ts';
import { clientKey, userKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { type CallOptions, call, newUser, newWorld } from './world.ts';

/** A user whose key administers clients. */
export const newMaker = async () => {
  const { uid, apiKey } = await newUser(['users']);
  const ofMaker = (method: string, path: string, options: CallOptions = {}) =>
    call(method, path, { apiKey, ...options });
  return { uid, apiKey, call: ofMaker };
};
export type Maker = Awaited<ReturnType<typeof newMaker>>;

/** A world whose user is a client of a maker, who can suspend it. */
export const newClientWorld = async (scopes?: Scope[], maker?: Maker) => {
  const [world, by] = await Promise.all([newWorld(scopes), maker ?? newMaker()]);
  await table.get().change(userKey(world.uid), { set: { maker: by.uid } });
  await table.get().change(userKey(by.uid), { add: { clients: 1 } });
  await table.get().put(clientKey(by.uid, world.uid));
  const suspend = async (suspended: boolean) => {
    const answer = await by.call('PATCH', `/users/${world.uid}`, { body: { suspended } });
    if (answer.status !== 200) throw new Error(`The user could not be changed: ${answer.text}`);
  };
  return { ...world, maker: by, suspend };
};

export const pickError = ({ status, body }: { status: number; body: { error?: string } }) => [status, body.error];
