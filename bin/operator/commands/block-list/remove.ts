import { dataOf } from '../../../command-line/data-of.ts';
import { blockListCommand, withBlockList } from '../../block-list/command.ts';
import { reportNumbers } from '../../block-list/report-numbers.ts';
import type { Group } from '../../program.ts';

export const removeFromBlockList = (blockList: Group) =>
  blockListCommand(blockList, 'remove', 'Unblock numbers', '', [
    '+14155550100 --uid acme',
    '+14155550100 +442071838750 --agent-id front-desk',
  ])
    .argument('<numbers...>', 'phone numbers in E.164 format')

    .action(async (numbers, _, command) => {
      const options = command.optsWithGlobals();
      await withBlockList(options, async ({ api, uid, agentId }) => {
        const body = { uid, numbers };
        const { removed, failed } = dataOf(
          agentId === undefined
            ? await api.userBlockList.remove(body)
            : await api.blockList.remove({ ...body, agentId }),
        );
        reportNumbers(options, { uid, agentId, removed, failed }, removed, 'unblocked');
      });
    });
