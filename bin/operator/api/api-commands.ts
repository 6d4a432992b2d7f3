import type { Command } from 'commander';
import { toKebabCase } from '../../../functions/domain/text.ts';
import { type ApiCommand, declareCommand } from './declare-command.ts';
import { namedCommands } from './named-commands.ts';
import { apiOperations } from './operations.ts';
import { runCommand } from './run-command.ts';

const addApiCommand = (program: Command, spelled: ApiCommand): void => {
  const declared = declareCommand(program, spelled);
  declared.command.action(() => runCommand(declared, spelled));
};

/**
 * Adds a command for every operation, by its name in the clients: `api calls list` is `calls.list`. The commands of other groups
 * that call operations are shorter names.
 */
export const addApiCommands = (program: Command): void => {
  for (const named of namedCommands) addApiCommand(program, named);
  const api = program.command('api').description('Every operation of the HTTP API, by the names of its clients');
  for (const [group, operations = []] of Object.entries(Object.groupBy(apiOperations, (one) => one.group))) {
    const verbs = operations.map(({ verb }) => toKebabCase(verb));
    api.command(toKebabCase(group)).description(verbs.join(', '));
    for (const { verb, name } of operations) {
      addApiCommand(program, { command: `api ${toKebabCase(group)} ${toKebabCase(verb)}`, calls: [name] });
    }
  }
};
