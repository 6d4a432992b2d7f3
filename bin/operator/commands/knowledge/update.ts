import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { SourceName } from '../../../../functions/domain/sources.ts';
import { as } from '../../../command-line/arguments.ts';
import { CommandError, exitCodes } from '../../../command-line/exit-codes.ts';
import { print } from '../../../command-line/output.ts';
import { knowledgeCommand, withKnowledge } from '../../knowledge/command.ts';
import { withoutText } from '../../knowledge/describe-source.ts';
import { existingSource, updateSource } from '../../knowledge/sources.ts';
import type { Group } from '../../program.ts';

export const changeSource = (knowledge: Group) =>
  knowledgeCommand(knowledge, 'update', 'Rename, enable or disable a website or document', [
    'web_01KA… --agent-id front-desk --name "Help pages"',
    'doc_01KA… --agent-id front-desk --disable',
  ])
    .argument('<id>', 'the website or document', as(Identifier))
    .option('--name <name>', 'a new display name', as(SourceName))
    .option('--enable', 'let the agent answer from it')
    .option('--disable', 'keep it, but do not let the agent answer from it')
    .action(async (id, _, command) => {
      const options = command.optsWithGlobals();
      const { name, enable = false, disable = false } = options;
      if (enable && disable) throw new CommandError('Use either --enable or --disable.', exitCodes.usage);
      if (name === undefined && !enable && !disable) {
        throw new CommandError('Nothing to change. Use --name, --enable or --disable.', exitCodes.usage);
      }
      const change = { ...(name !== undefined && { name }), ...((enable || disable) && { active: enable }) };
      await withKnowledge(options, async (service) => {
        const updated = await updateSource(service, await existingSource(service, id), change);
        print(options, withoutText(updated), () => `${id} updated.`);
      });
    });
