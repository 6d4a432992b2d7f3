import { Identifier } from '../../../functions/domain/identifiers.ts';
import { as, baseUrl } from '../../command-line/arguments.ts';
import { CommandError, exitCodes } from '../../command-line/exit-codes.ts';
import { interruption } from '../../command-line/interruption.ts';
import { examples, type Group } from '../program.ts';
import { type Service, type ServiceOptions, withService } from '../service.ts';

const accessHelp = `
Without --agent-id it is the block list of the user --uid, which is in force for all of their agents.
This command uses the HTTP API with a temporary API key of the agent's owner (or --uid), which is deleted at the end,
or ends an hour later if a file that it has sent is still to be imported.
With VAP_API_KEY set, it uses that key and needs no table: --uid is the user of the key, and --base-url or VAP_BASE_URL
the address.
`;

export type BlockListService = Service<string | undefined>;

/** Adds a command for the block list of an agent or a user. */
export const blockListCommand = (blockList: Group, name: string, description: string, help: string, lines: string[]) =>
  blockList
    .command(name)
    .description(description)
    .option('--agent-id <id>', "the agent whose list it is (default: the user's own list)", as(Identifier))
    .option('--uid <uid>', "the user (default: the agent's owner)", as(Identifier))
    .option('--base-url <address>', 'the address of the service (default: of the local run or the --stack)', baseUrl)
    .addHelpText('after', `${help}${accessHelp}${examples(...lines.map((line) => `block-list ${name} ${line}`))}`);

/** Runs `work` with the service, and aborts it on the first signal. */
export const withBlockList = async (
  options: ServiceOptions<string | undefined>,
  work: (service: BlockListService, stop: AbortSignal) => Promise<void>,
): Promise<void> => {
  using stop = interruption(new CommandError('Stopped.', exitCodes.unfinished));
  await withService(options, ['block-list'], stop.signal, (service) => work(service, stop.signal));
};
