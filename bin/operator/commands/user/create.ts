import { UserName } from '../../../../functions/domain/users.ts';
import { claimFormat } from '../../../../functions/store/format.ts';
import { as, identifier, newIdentifier } from '../../../command-line/arguments.ts';
import { CommandError } from '../../../command-line/exit-codes.ts';
import { print } from '../../../command-line/output.ts';
import { existingUser } from '../../existing.ts';
import { addCommand, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const createUser = (user: Group) =>
  addCommand(user, 'user create', 'Create a user', ['acme --name "Acme Inc."', 'acme --of agency'])
    .argument('<uid>', 'an id of your choice', newIdentifier)
    .option('--name <name>', 'a display name', as(UserName))
    .option('--of <uid>', 'the user that administers it as a client', identifier)
    .action(async (uid, _, command) => {
      const options = command.optsWithGlobals();
      const { users, table } = await openStores(options);
      // This is the first command that writes to a new table.
      await claimFormat(table);
      const { of: maker, name } = options;
      if (maker !== undefined) await existingUser(users, maker);
      const isTaken = maker !== undefined && (await users.find(uid));
      const created = isTaken
        ? undefined
        : maker === undefined
          ? await users.create(uid, name)
          : await users.createClient(maker, { uid, name });
      if (!created) throw new CommandError(`User ${uid} already exists.`);
      print(options, created, () => `User ${uid} created.`);
    });
