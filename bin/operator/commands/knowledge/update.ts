import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { limits } from '../../../../functions/domain/limits.ts';
import { SourceName } from '../../../../functions/domain/sources.ts';
import { as, wholeNumber } from '../../../command-line/arguments.ts';
import { CommandError, exitCodes } from '../../../command-line/exit-codes.ts';
import { print } from '../../../command-line/output.ts';
import { knowledgeCommand, withKnowledge } from '../../knowledge/command.ts';
import { withoutText } from '../../knowledge/describe-source.ts';
import { existingSource, updateSource } from '../../knowledge/sources.ts';
import type { Group } from '../../program.ts';

export const changeSource = (knowledge: Group) =>
  knowledgeCommand(
    knowledge,
    'update',
    'Rename, enable or disable a website or document, or set when a website is crawled again',
    [
      'web_01KA… --agent-id front-desk --name "Help pages"',
      'doc_01KA… --agent-id front-desk --disable',
      'web_01KA… --agent-id front-desk --refresh-every 7',
    ],
  )
    .argument('<id>', 'the website or document', as(Identifier))
    .option('--name <name>', 'a new display name', as(SourceName))
    .option('--enable', 'let the agent answer from it')
    .option('--disable', 'keep it, but do not let the agent answer from it')
    .option('--refresh-every <days>', 'crawl the website again every so many days', wholeNumber(1, limits.refreshDays))
    .option('--no-refresh', 'crawl the website again only by hand')
    .action(async (id, _, command) => {
      const options = command.optsWithGlobals();
      const { name, enable = false, disable = false } = options;
      const refreshEvery = options.refresh ? options.refreshEvery : null;
      if (enable && disable) throw new CommandError('Use either --enable or --disable.', exitCodes.usage);
      if (name === undefined && !enable && !disable && refreshEvery === undefined) {
        throw new CommandError(
          'Nothing to change. Use --name, --enable, --disable, --refresh-every or --no-refresh.',
          exitCodes.usage,
        );
      }
      const change = { name, active: enable || disable ? enable : undefined, refreshEvery };
      await withKnowledge(options, async (service) => {
        const source = await existingSource(service, id);
        if (source.kind === 'document' && refreshEvery !== undefined)
          throw new CommandError('Only a website can be crawled again.', exitCodes.usage);
        const updated = await updateSource(service, source, change);
        print(options, withoutText(updated), () => `${id} updated.`);
      });
    });
