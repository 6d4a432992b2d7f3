import { stringify } from 'csv-stringify/sync';
import { limits } from '../../../../functions/domain/limits.ts';
import type { BlockedNumber } from '../../../../functions/openapi/client/client.ts';
import { dataOf } from '../../../command-line/data-of.ts';
import { count, print } from '../../../command-line/output.ts';
import { streamJson, writeOutput } from '../../../command-line/output-file.ts';
import { type BlockListService, blockListCommand, withBlockList } from '../../block-list/command.ts';
import type { Group } from '../../program.ts';

export const exportBlockList = (blockList: Group) =>
  blockListCommand(blockList, 'export', 'Write a block list as CSV, the format of "block-list import"', '', [
    '--uid acme --output acme.csv',
    '--agent-id front-desk --output front-desk.csv',
  ])
    .option('--output <file>', 'the file to write (default: standard output)')
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { output } = options;
      await withBlockList(options, async (service) => {
        let numbers = 0;
        async function* lines() {
          yield stringify([['number', 'reason', 'expiresAt']]);
          for await (const entries of pagesOf(service)) {
            numbers += entries.length;
            yield stringify(entries.map(({ number, reason, expiresAt }) => [number, reason, expiresAt]));
          }
        }
        if (options.json && !output)
          return writeOutput(output, streamJson({ ...owner(service) }, 'entries', entriesOf(service)));
        await writeOutput(output, lines());
        if (output) print(options, { output, numbers }, () => `${count(numbers, 'number')} exported.`);
      });
    });

const owner = ({ uid, agentId }: BlockListService) => ({ uid, agentId });

async function* entriesOf(service: BlockListService) {
  for await (const entries of pagesOf(service)) yield* entries;
}

/** Yields the entries of a list, page by page. */
async function* pagesOf({ api, uid, agentId }: BlockListService) {
  const params = { uid, limit: limits.pageItems };
  const list = agentId === undefined ? api.userBlockList.list(params) : api.blockList.list({ ...params, agentId });
  for await (const page of list.pages()) yield dataOf<{ entries: BlockedNumber[] }>(page).entries;
}
