import { print } from '../../../command-line/output.ts';
import { describeItem, findParked, openParking } from '../../parking.ts';
import { addCommand, type Group } from '../../program.ts';

export const showParked = (parked: Group) =>
  addCommand(parked, 'changes parked show', 'Show a parked change with its record, which may contain personal data', [
    '000000000000000004711 --stack voice-agents-prod',
  ])
    .argument('<sequenceNumber>', 'its number in the stream, as parked list shows it')
    .action(async (sequenceNumber, _, command) => {
      const options = command.optsWithGlobals();
      const parking = await openParking(options);
      const { entity, change, changes } = await findParked(parking, sequenceNumber);
      const record = await parking.parked.read(change);
      const { entity: _entity, isDone: _isDone, keptAt: _keptAt, ...about } = change;
      const position = changes.indexOf(change);
      const shown = { item: entity.item, behind: position, ...about, record };
      print(options, shown, () => `${describeItem(entity)}\n${JSON.stringify(shown, null, 2)}`);
    });
