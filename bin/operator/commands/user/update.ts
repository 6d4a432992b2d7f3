import { UserName } from '../../../../functions/domain/users.ts';
import { as, identifier } from '../../../command-line/arguments.ts';
import { print } from '../../../command-line/output.ts';
import { existingUser } from '../../existing.ts';
import { addCommand, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const updateUser = (user: Group) =>
  addCommand(user, 'user update', 'Rename a user', ['acme --name "Acme GmbH"'])
    .argument('<uid>', 'the user', identifier)
    .requiredOption('--name <name>', 'the new display name', as(UserName))
    .action(async (uid, _, command) => {
      const options = command.optsWithGlobals();
      const { users } = await openStores(options);
      await existingUser(users, uid);
      const updated = (await users.change(uid, { name: options.name })) ?? (await existingUser(users, uid));
      print(options, updated, () => `User ${uid} updated.`);
    });
