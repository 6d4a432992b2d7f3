import { dataOf } from '../../../command-line/data-of.ts';
import { CommandError, exitCodes } from '../../../command-line/exit-codes.ts';
import { columns, count, print } from '../../../command-line/output.ts';
import { blockListCommand, withBlockList } from '../../block-list/command.ts';
import type { Group } from '../../program.ts';

export const checkBlockList = (blockList: Group) =>
  blockListCommand(
    blockList,
    'check',
    'Check whether numbers are blocked for an agent, by its own list or that of its owner',
    '',
    ['+14155550100 --agent-id front-desk'],
  )
    .argument('<numbers...>', 'phone numbers in E.164 format')
    .action(async (numbers, _, command) => {
      const options = command.optsWithGlobals();
      if (options.agentId === undefined) throw new CommandError('--agent-id is required.', exitCodes.usage);
      await withBlockList(options, async ({ api, uid, agentId = '' }) => {
        const { blocked, failed } = dataOf(await api.blockList.checkMany({ uid, agentId, numbers }));
        print(
          options,
          { agentId, blocked, failed },
          () =>
            columns([
              ...blocked.map(({ number, scope, reason }) => [number, `blocked by the list of the ${scope}`, reason]),
              ...failed.map(({ number, reason, message = reason }) => [number, message]),
            ]) || 'None of them is blocked.',
        );
        if (failed.length > 0) throw new CommandError(`${count(failed.length, 'number')} failed.`);
      });
    });
