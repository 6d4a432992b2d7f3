import { expect, it } from 'vitest';
import { blockListImports } from '../../functions/block-list-import/block-list-imports.ts';
import { consents } from '../../functions/consents/consents.ts';
import { agentSharing } from '../../functions/store/agents/agent-sharing.ts';
import { agents } from '../../functions/store/agents/agents.ts';
import { blockList } from '../../functions/store/block-list/block-list.ts';
import { countKey, runningImportKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { users } from '../../functions/store/users.ts';
import { emptyUser } from '../../functions/users/empty-user.ts';
import { newUser } from '../support/world.ts';

const nothing = async () => {};

/** Empties a user. `during` happens before its agents are deleted. */
const empty = (uid: string, during: () => Promise<unknown> = nothing) =>
  emptyUser(
    uid,
    async () => {
      await during();
      return true;
    },
    {
      users: users.get(),
      agents: agents.get(),
      agentSharing: agentSharing.get(),
      blockList: blockList.get(),
      consents: consents.get(),
      imports: blockListImports.get(),
    },
    Number.POSITIVE_INFINITY,
  );

it('a user is not empty while an import writes, and is empty after its end', async () => {
  const { uid } = await newUser();
  const lock = { ...runningImportKey({ uid }), until: Date.now() + 60_000 };
  await table.get().put(lock);
  expect(await empty(uid)).toBe('written');
  await table.get().delete(runningImportKey({ uid }));
  expect(await empty(uid)).toBe('empty');
});

it('a user is not empty when a copy of an agent ended after the deletion of agents began', async () => {
  const { uid } = await newUser();
  const copies = new Set(['agent_copy']);
  await table.get().change(countKey({ uid }), { add: { copies } });
  const end = () => table.get().change(countKey({ uid }), { remove: { copies } });
  expect(await empty(uid, end)).toBe('written');
  expect(await empty(uid)).toBe('empty');
});
