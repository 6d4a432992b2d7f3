import { expect, it } from 'vitest';
import { createTable } from '../../../bin/local/table.ts';
import { target, useTargetInThisProcess } from '../../support/world.ts';

it('a local run ends at once if its table has a name that no table can have', async () => {
  useTargetInThisProcess();
  const created = createTable('ab', { endpoint: target.endpoints.dynamodb, failure: () => undefined });
  await expect(created).rejects.toThrow(/^TABLE_NAME: Invalid .* between 3 and 255 characters/);
});
