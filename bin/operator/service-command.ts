import type { Scope } from '../../functions/domain/api-keys.ts';
import { identifier } from '../command-line/arguments.ts';
import { serviceOption } from '../command-line/connection.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { interruption } from '../command-line/interruption.ts';
import { addCommand, type Group } from './program.ts';
import { type Service, type ServiceOptions, withService } from './service.ts';

/** The part of a help text about the key of a command that calls the service. */
export const accessHelp = `
This command uses the HTTP API with a temporary API key of the user --uid or of the agent's owner. The key is deleted at the end, or
an hour later if the service still has to read files of the command.
With VAP_API_KEY set, it uses that key and needs no table: --uid is the user of the key (its default), and --base-url or
VAP_BASE_URL the address.
`;

/** Adds a command that calls the service on behalf of a user. `path` names it with its group. */
export const serviceCommand = (group: Group, path: string, description: string, lines: string[], help = '') =>
  addCommand(group, path, description, lines, `${help}${accessHelp}`)
    .option('--uid <uid>', "a user with access to the agent (default: the agent's owner)", identifier)
    .option(...serviceOption);

/** Runs `work` with the service, and aborts it on the first signal. */
export const runWithService = async <AgentId extends string | undefined>(
  options: ServiceOptions<AgentId>,
  scopes: Scope[],
  work: (service: Service<AgentId>, stop: AbortSignal) => Promise<void>,
): Promise<void> => {
  using stop = interruption(new CommandError('Stopped.', exitCodes.unfinished));
  await withService(options, scopes, stop.signal, (service) => work(service, stop.signal));
};
