import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { as } from '../../../command-line/arguments.ts';
import { print } from '../../../command-line/output.ts';
import { existingUser } from '../../existing.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

const commands = {
  suspend: { suspended: true, description: 'Refuse every request of a user', done: 'is suspended' },
  resume: { suspended: false, description: 'End the suspension of a user', done: 'is no longer suspended' },
};

const addCommand = (user: Group, name: keyof typeof commands) => {
  const { suspended, description, done } = commands[name];
  return user
    .command(name)
    .description(description)
    .argument('<uid>', 'the user', as(Identifier))
    .addHelpText('after', examples(`user ${name} acme`))
    .action(async (uid, _, command) => {
      const options = command.optsWithGlobals();
      const { users } = await openStores(options);
      await existingUser(users, uid);
      await users.change(uid, { suspended });
      print(options, { uid, suspended }, () => `User ${uid} ${done}.`);
    });
};

export const suspendUser = (user: Group) => addCommand(user, 'suspend');
export const resumeUser = (user: Group) => addCommand(user, 'resume');
