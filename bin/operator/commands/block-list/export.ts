import { stringify } from 'csv-stringify/sync';
import { protectText } from '../../../../functions/domain/csv.ts';
import { limits } from '../../../../functions/domain/limits.ts';
import { type BlockedNumber, dataOf } from '../../../../functions/openapi/client/client.ts';
import { identifier } from '../../../command-line/arguments.ts';
import { count, print } from '../../../command-line/output.ts';
import { streamJson, writeOutput } from '../../../command-line/output-file.ts';
import type { Group } from '../../program.ts';
import type { BlockListService } from '../../service.ts';
import { runWithService, serviceCommand } from '../../service-command.ts';

export const exportBlockList = (blockList: Group) =>
  serviceCommand(blockList, 'block-list export', 'Write a block list as CSV, the format of "block-list import"', [
    '--uid acme --output acme.csv',
    '--agent-id front-desk --output front-desk.csv',
  ])
    .option('--agent-id <id>', "the agent whose list it is (default: the user's own list)", identifier)
    .option('--output <file>', 'the file to write (default: standard output)')
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { output } = options;
      await runWithService(options, ['block-list'], async (service) => {
        let numbers = 0;
        async function* lines() {
          yield stringify([['number', 'reason', 'expiresAt']]);
          for await (const entries of streamPages(service)) {
            numbers += entries.length;
            yield stringify(
              entries.map(({ number, reason, expiresAt }) => [number, reason && protectText(reason), expiresAt]),
            );
          }
        }
        if (options.json && !output)
          return writeOutput(output, streamJson({ ...owner(service) }, 'entries', streamEntries(service)));
        await writeOutput(output, lines());
        if (output) print(options, { output, numbers }, () => `${count(numbers, 'number')} exported.`);
      });
    });

const owner = ({ uid, agentId }: BlockListService) => ({ uid, agentId });

async function* streamEntries(service: BlockListService) {
  for await (const entries of streamPages(service)) yield* entries;
}

/** Yields the entries of a list, page by page. */
async function* streamPages({ api, uid, agentId }: BlockListService) {
  const params = { uid, limit: limits.pageItems };
  const list = agentId === undefined ? api.userBlockList.list(params) : api.blockList.list({ ...params, agentId });
  for await (const page of list.pages()) yield dataOf<{ entries: BlockedNumber[] }>(page).entries;
}
