import { Identifier } from '../../../functions/domain/identifiers.ts';
import { as, baseUrl } from '../../command-line/arguments.ts';
import { CommandError, exitCodes } from '../../command-line/exit-codes.ts';
import { interruption } from '../../command-line/interruption.ts';
import { examples, type Group } from '../program.ts';
import { type Service, type ServiceOptions, withService } from '../service.ts';

const accessHelp = `
This command uses the HTTP API with a temporary API key of the agent's owner (or --uid), which is deleted at the end,
or ends an hour later if files that it has sent are still to be read.
With VAP_API_KEY set, it uses that key and needs no table: --uid is the user of the key, and --base-url or VAP_BASE_URL
the address.
`;

/** Adds a command for the websites and documents of an agent. */
export const knowledgeCommand = (knowledge: Group, name: string, description: string, lines: string[]) =>
  knowledge
    .command(name)
    .description(description)
    .requiredOption('--agent-id <id>', 'the agent', as(Identifier))
    .option('--uid <uid>', "a user with access to the agent (default: the agent's owner)", as(Identifier))
    .option('--base-url <address>', 'the address of the service (default: of the local run or the --stack)', baseUrl)
    .addHelpText('after', `${accessHelp}${examples(...lines.map((line) => `knowledge ${name} ${line}`))}`);

/** Runs `work` with the service, and aborts it on the first signal. */
export const withKnowledge = async (
  options: ServiceOptions,
  work: (service: Service, stop: AbortSignal) => Promise<void>,
): Promise<void> => {
  using stop = interruption(new CommandError('Stopped.', exitCodes.unfinished));
  await withService(options, ['knowledge'], stop.signal, (service) => work(service, stop.signal));
};
