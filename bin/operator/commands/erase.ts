import { PhoneNumber } from '../../../functions/domain/phone-numbers.ts';
import { dataOf } from '../../../functions/openapi/client/client.ts';
import { as, identifier } from '../../command-line/arguments.ts';
import { serviceOption } from '../../command-line/connection.ts';
import { CommandError } from '../../command-line/exit-codes.ts';
import { interruption } from '../../command-line/interruption.ts';
import { print, record, say } from '../../command-line/output.ts';
import { sayUnconfirmed } from '../confirmation.ts';
import { existingUser } from '../existing.ts';
import { addCommand, type Operator } from '../program.ts';
import { asUser } from '../service.ts';
import { openStores } from '../stores.ts';

export const erase = (program: Operator) =>
  addCommand(program, 'erase', 'Erase a person, by phone number, from the data of all agents that a user owns', [
    '--uid acme --number +14155550100',
    '--uid acme --number +14155550100 --yes',
  ])
    .requiredOption('--uid <uid>', 'the user', identifier)
    .requiredOption('--number <number>', "the person's phone number", as(PhoneNumber))
    .option('--unblock', 'also remove the number from block lists (default: it stays blocked, without a reason)')
    .option('--yes', 'erase (default: only count what would be erased)')
    .option(...serviceOption)
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { uid, number, yes = false, unblock } = options;
      const { users, apiKeys } = await openStores(options);
      await existingUser(users, uid);
      using stop = interruption();
      const result = await asUser(options, { apiKeys, uid, scope: 'privacy' }, stop.signal, async (api) => {
        const blockList = unblock ? ('remove' as const) : ('keep' as const);
        const { erasureId, found } = dataOf(await api.erasures.create({ uid, number, blockList, dryRun: !yes }));
        if (erasureId === undefined) return { status: 'dry_run', ...found };
        say(`Erasure ${erasureId} is in progress.`);
        const maxWaitSeconds = Number.POSITIVE_INFINITY;
        const ended = await api.erasures.waitUntilDone({ uid, erasureId }, { maxWaitSeconds });
        const { status, erased, error } = dataOf(ended);
        if (status === 'failed') throw new CommandError(error ?? 'The erasure failed.');
        return { erasureId, status, ...erased };
      });
      print(options, { uid, ...result }, () => record({ user: uid, ...result }));
      if (!yes) sayUnconfirmed('erased');
    });
