import { dataOf } from '../../../command-line/data-of.ts';
import { future } from '../../../command-line/times.ts';
import { blockListCommand, withBlockList } from '../../block-list/command.ts';
import { reportNumbers } from '../../block-list/report-numbers.ts';
import type { Group } from '../../program.ts';

export const addToBlockList = (blockList: Group) =>
  blockListCommand(blockList, 'add', 'Block numbers', '', [
    '+14155550100 --uid acme --reason "Asked not to be called"',
    '+14155550100 +442071838750 --agent-id front-desk',
  ])
    .argument('<numbers...>', 'phone numbers in E.164 format')
    .option('--reason <text>', 'the reason')
    .option('--expires <when>', 'a date, a date-time or a duration such as 30d (default: never)', future)
    .action(async (numbers, _, command) => {
      const options = command.optsWithGlobals();
      await withBlockList(options, async ({ api, uid, agentId }) => {
        const body = { uid, numbers, reason: options.reason, expiresAt: options.expires };
        const { added, failed } = dataOf(
          agentId === undefined ? await api.userBlockList.add(body) : await api.blockList.add({ ...body, agentId }),
        );
        reportNumbers(options, { uid, agentId, added, failed }, added, 'blocked');
      });
    });
