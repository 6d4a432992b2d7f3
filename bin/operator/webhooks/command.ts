import { Identifier } from '../../../functions/domain/identifiers.ts';
import { as, baseUrl } from '../../command-line/arguments.ts';
import { CommandError, exitCodes } from '../../command-line/exit-codes.ts';
import { interruption } from '../../command-line/interruption.ts';
import { examples, type Group } from '../program.ts';
import { type Service, type ServiceOptions, withService } from '../service.ts';

const accessHelp = `
This command uses the HTTP API with a temporary API key of the user, which is deleted at the end. With VAP_API_KEY set, it
uses that key and needs no table: --base-url or VAP_BASE_URL is the address.
`;

/** Adds a command for the webhooks of a user. */
export const webhooksCommand = (webhooks: Group, name: string, description: string, lines: string[]) =>
  webhooks
    .command(name)
    .description(description)
    .requiredOption('--uid <uid>', 'the user', as(Identifier))
    .option('--base-url <address>', 'the address of the service (default: of the local run or the --stack)', baseUrl)
    .addHelpText('after', `${accessHelp}${examples(...lines.map((line) => `webhooks ${name} ${line}`))}`);

/** Runs `work` with the service, and aborts it on the first signal. */
export const withWebhooks = async (
  options: ServiceOptions<undefined>,
  work: (service: Service<undefined>) => Promise<void>,
): Promise<void> => {
  using stop = interruption(new CommandError('Stopped.', exitCodes.unfinished));
  await withService(options, 'webhooks', stop.signal, work);
};
