import { print } from '../../../command-line/output.ts';
import { listParkedItems, openParking } from '../../parking.ts';
import { addCommand, type Group } from '../../program.ts';

export const retryParked = (parked: Group) =>
  addCommand(
    parked,
    'changes parked retry',
    'Try parked changes again now. The service also does it every five minutes, and after each deployment',
    ['--stack voice-agents-prod'],
  ).action(async (_, command) => {
    const options = command.optsWithGlobals();
    const parking = await openParking(options);
    const items = (await listParkedItems(parking)).length;
    if (items > 0) await parking.retry();
    print(options, { items }, () =>
      items === 0
        ? 'No change is parked.'
        : `The changes of ${items} items are tried again. parked list shows what is left.`,
    );
  });
