import { Option } from '@commander-js/extra-typings';
import { identifier } from '../../../command-line/arguments.ts';
import { print } from '../../../command-line/output.ts';
import { writeOutput } from '../../../command-line/output-file.ts';
import { readText } from '../../knowledge/sources.ts';
import type { Group } from '../../program.ts';
import { runWithService, serviceCommand } from '../../service-command.ts';

export const exportSource = (knowledge: Group) =>
  serviceCommand(knowledge, 'knowledge export', 'Write the text of a website or document', [
    'web_01KA… --agent-id front-desk --output help.md',
    'doc_01KA… --agent-id front-desk --format text',
  ])
    .requiredOption('--agent-id <id>', 'the agent', identifier)
    .argument('<id>', 'the website or document', identifier)
    .addOption(
      new Option('--format <format>', 'markdown, or text (of a website: JSON with its pages)')
        .choices(['markdown', 'text'] as const)
        .default('markdown' as const),
    )
    .option('--output <file>', 'the file to write (default: standard output)')
    .action(async (id, _, command) => {
      const options = command.optsWithGlobals();
      const { output, format } = options;
      await runWithService(options, ['knowledge'], async (service) => {
        const field = format === 'markdown' ? 'contentMD' : 'content';
        const text = readText(service, id, field);
        if (options.json && !output) {
          const pieces = await Array.fromAsync(text);
          return print(options, { id, format, text: pieces.join('') }, () => '');
        }
        await writeOutput(output, text);
        if (output) print(options, { id, format, output }, () => `${id} exported to ${output}.`);
      });
    });
