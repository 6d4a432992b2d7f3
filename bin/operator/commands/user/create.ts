import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { claimFormat } from '../../../../functions/store/format.ts';
import { as } from '../../../command-line/arguments.ts';
import { CommandError } from '../../../command-line/exit-codes.ts';
import { print } from '../../../command-line/output.ts';
import { DisplayName } from '../../display-name.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const createUser = (user: Group) =>
  user
    .command('create')
    .description('Create a user')
    .argument('<uid>', 'an id of your choice', as(Identifier))
    .option('--name <name>', 'a display name', as(DisplayName))
    .addHelpText('after', examples('user create acme', 'user create acme --name "Acme Inc."'))
    .action(async (uid, _, command) => {
      const options = command.optsWithGlobals();
      const { users, table } = await openStores(options);
      // This is the first command that writes to a new table.
      await claimFormat(table);
      const created = await users.create(uid, options.name);
      if (!created) throw new CommandError(`User ${uid} already exists.`);
      print(options, created, () => `User ${uid} created.`);
    });
