import { identifier } from '../../../command-line/arguments.ts';
import { print } from '../../../command-line/output.ts';
import { existingUser } from '../../existing.ts';
import { addCommand, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

const commands = {
  suspend: { suspended: true, description: 'Refuse every request of a user', done: 'is suspended' },
  resume: { suspended: false, description: 'End the suspension of a user', done: 'is no longer suspended' },
};

const suspensionCommand = (user: Group, name: keyof typeof commands) => {
  const { suspended, description, done } = commands[name];
  return addCommand(user, `user ${name}`, description, ['acme'])
    .argument('<uid>', 'the user', identifier)
    .action(async (uid, _, command) => {
      const options = command.optsWithGlobals();
      const { users } = await openStores(options);
      await existingUser(users, uid);
      await users.change(uid, { suspended });
      print(options, { uid, suspended }, () => `User ${uid} ${done}.`);
    });
};

export const suspendUser = (user: Group) => suspensionCommand(user, 'suspend');
export const resumeUser = (user: Group) => suspensionCommand(user, 'resume');
