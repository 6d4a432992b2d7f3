import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { as } from '../../../command-line/arguments.ts';
import { selectingCalls, toSelection } from '../../../command-line/call-filter.ts';
import { count, print } from '../../../command-line/output.ts';
import { writeOutput } from '../../../command-line/output-file.ts';
import { selectedCalls } from '../../calls/selected-calls.ts';
import { existingAgent } from '../../existing.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const exportCalls = (calls: Group) =>
  selectingCalls(
    calls
      .command('export')
      .description('Export calls of an agent as JSON lines, the format of "calls import"')
      .requiredOption('--agent-id <id>', 'the agent', as(Identifier))
      .option('--output <file>', 'the file to write (default: standard output)'),
  )
    .addHelpText(
      'after',
      examples(
        'calls export --agent-id front-desk --output calls.jsonl',
        'calls export --agent-id front-desk --from 2026-01-01 --to 2026-02-01 --output january.jsonl',
      ),
    )
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { agentId, output } = options;
      const stores = await openStores(options);
      await existingAgent(stores.agents, agentId);
      let exported = 0;
      async function* lines() {
        for await (const call of selectedCalls(stores, agentId, toSelection(options))) {
          exported += 1;
          yield `${JSON.stringify(call)}\n`;
        }
      }
      await writeOutput(output, lines());
      if (output) print(options, { agentId, output, calls: exported }, () => `${count(exported, 'call')} exported.`);
    });
