import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { agents } from '../../functions/store/agents.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { calls } from '../../functions/store/calls.ts';
import { users } from '../../functions/store/users.ts';
import { type Demo, makeDemo } from '../operator/demo.ts';

/** Makes the demo data, or finds those of an earlier run, whose keys only `file` still knows. */
export const demoData = async (file: string | undefined): Promise<Demo> => {
  if (file && existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Demo;
  const stores = { users: users.get(), apiKeys: apiKeys.get(), agents: agents.get(), calls: calls.get() };
  const data = await makeDemo(stores, { uid: 'demo-user', otherUid: 'other-user' });
  if (file) writeFileSync(file, JSON.stringify(data), { mode: 0o600 });
  return data;
};
