import { expect, it } from 'vitest';
import { BlockListImports } from '../../functions/block-list-import/block-list-imports.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { table } from '../../functions/store/table.ts';
import { users } from '../../functions/store/users.ts';
import { unique, useTargetInThisProcess } from '../support/world.ts';

it('the deletion of the imports of an agent stops at its time, and says whether it came to the end', async () => {
  useTargetInThisProcess();
  const imports = new BlockListImports(table.get());
  const [uid, agentId] = [unique('user'), unique('agent')];
  await users.get().create(uid);
  const { keyId } = await apiKeys.get().create(uid, { name: 'import' });
  const own = { uid, importId: newIdentifier('import') };
  const ofUser = { uid, importId: newIdentifier('import') };
  await imports.add({ ...own, agentId, keyId, mode: 'add' });
  await imports.add({ ...ofUser, keyId, mode: 'add' });
  expect(await imports.removeOfAgent(uid, agentId, Date.now())).toBe(false);
  expect(await imports.find(own)).toBeDefined();
  expect(await imports.removeOfAgent(uid, agentId, Date.now() + 60_000)).toBe(true);
  expect([await imports.find(own), await imports.find(ofUser)]).toEqual([undefined, expect.anything()]);
});
