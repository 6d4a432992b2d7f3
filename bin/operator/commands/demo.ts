import { newUlid } from '../../../functions/domain/identifiers.ts';
import { claimFormat } from '../../../functions/store/format.ts';
import { print, record } from '../../command-line/output.ts';
import { makeDemo } from '../demo.ts';
import { addCommand, type Operator } from '../program.ts';
import { openStores } from '../stores.ts';

export const demo = (program: Operator) =>
  addCommand(program, 'demo', 'Create demo data: a user with a key, an agent and calls, and another user', [
    '',
    '--json',
  ]).action(async (_, command) => {
    const options = command.optsWithGlobals();
    const ulid = newUlid();
    const stores = await openStores(options);
    await claimFormat(stores.table);
    const demo = await makeDemo(stores, { uid: `demo-${ulid}`, otherUid: `other-${ulid}` });
    print(options, demo, () => record(demo));
  });
