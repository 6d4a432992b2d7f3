import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { as } from '../../../command-line/arguments.ts';
import { print } from '../../../command-line/output.ts';
import { DisplayName } from '../../display-name.ts';
import { existingUser } from '../../existing.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const updateUser = (user: Group) =>
  user
    .command('update')
    .description('Rename a user')
    .argument('<uid>', 'the user', as(Identifier))
    .requiredOption('--name <name>', 'the new display name', as(DisplayName))
    .addHelpText('after', examples('user update acme --name "Acme GmbH"'))
    .action(async (uid, _, command) => {
      const options = command.optsWithGlobals();
      const { users } = await openStores(options);
      await existingUser(users, uid);
      const updated = (await users.change(uid, { name: options.name })) ?? (await existingUser(users, uid));
      print(options, updated, () => `User ${uid} updated.`);
    });
