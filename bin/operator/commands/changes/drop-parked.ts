import { print } from '../../../command-line/output.ts';
import { sayUnconfirmed } from '../../confirmation.ts';
import { describeItem, findParked, openParking } from '../../parking.ts';
import { addCommand, type Group } from '../../program.ts';

export const dropParked = (parked: Group) =>
  addCommand(
    parked,
    'changes parked drop',
    'Drop a parked change: nothing follows from it, and the later changes of its item are tried again',
    ['000000000000000004711 --stack voice-agents-prod', '000000000000000004711 --stack voice-agents-prod --yes'],
  )
    .argument('<sequenceNumber>', 'its number in the stream, as parked list shows it')
    .option('--yes', 'drop it (default: only show it)')
    .action(async (sequenceNumber, { yes = false }, command) => {
      const options = command.optsWithGlobals();
      const parking = await openParking(options);
      const { entity, change } = await findParked(parking, sequenceNumber);
      if (yes) {
        await parking.parked.remove(change);
        await parking.retry();
      }
      const item = describeItem(entity);
      const dropped = { sequenceNumber, item: entity.item, dropped: yes };
      print(options, dropped, () =>
        yes ? `Dropped the change ${sequenceNumber} of ${item}.` : `Change ${sequenceNumber} of ${item}.`,
      );
      if (!yes) sayUnconfirmed('deleted');
    });
