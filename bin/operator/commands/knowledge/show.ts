import { identifier } from '../../../command-line/arguments.ts';
import { print } from '../../../command-line/output.ts';
import { describeResponse } from '../../api/describe-response.ts';
import { existingSource } from '../../knowledge/sources.ts';
import type { Group } from '../../program.ts';
import { runWithService, serviceCommand } from '../../service-command.ts';

export const showSource = (knowledge: Group) =>
  serviceCommand(knowledge, 'knowledge show', 'Show a website or document', ['web_01KA… --agent-id front-desk'])
    .requiredOption('--agent-id <id>', 'the agent', identifier)
    .argument('<id>', 'the website or document', identifier)
    .action(async (id, _, command) => {
      const options = command.optsWithGlobals();
      await runWithService(options, ['knowledge'], async (service) => {
        const { content: _content, contentMD: _contentMD, ...shown } = await existingSource(service, id);
        print(options, shown, () => describeResponse(shown, {}));
      });
    });
