import { print, table } from '../../../command-line/output.ts';
import { describeItem, listParkedItems, openParking, type ParkedItem } from '../../parking.ts';
import { addCommand, type Group } from '../../program.ts';

export const listParked = (parked: Group) =>
  addCommand(
    parked,
    'changes parked list',
    'List the items of the table whose changes fail by themselves and wait, each with its first change',
    ['', '--stack voice-agents-prod'],
  ).action(async (_, command) => {
    const options = command.optsWithGlobals();
    const items = await listParkedItems(await openParking(options));
    const parked = items.map(({ entity, changes }) => {
      const [{ sequenceNumber, requestId, attempts, lastAttemptAt, error }] = changes;
      const since = new Date(entity.since).toISOString();
      const first = { sequenceNumber, requestId, attempts, lastAttemptAt, error };
      return { item: entity.item, uid: entity.uid, since, changes: changes.length, ...first };
    });
    print(options, { parked }, () => describe(items));
  });

const describe = (items: ParkedItem[]) =>
  table(
    items,
    {
      CHANGE: ({ changes }) => changes[0].sequenceNumber,
      ITEM: ({ entity }) => describeItem(entity),
      SINCE: ({ entity }) => new Date(entity.since).toISOString(),
      CHANGES: ({ changes }) => changes.length,
      ATTEMPTS: ({ changes }) => changes[0].attempts,
      ERROR: ({ changes: [{ error }] }) => `${error?.name ?? ''}: ${error?.message ?? ''}`.slice(0, 80),
    },
    'No change is parked.',
  );
