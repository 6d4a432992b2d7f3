import type { Command, Option } from 'commander';
import { Scope } from '../../functions/domain/api-keys.ts';
import { allAgents, allUsers } from './all-users.ts';
import { deployments } from './stack.ts';
import { type GlobalOptions, openStores } from './stores.ts';

/**
 * Returns the values that complete the last word of a command line, or undefined where the program itself completes it. Users and
 * agents are those of a local run: in a deployment, finding them would read the whole table.
 */
export const completedValues = async (program: Command, words: string[]): Promise<string[] | undefined> => {
  const values = await completeValues(nameOfLast(program, words), words).catch(() => undefined);
  return values?.filter((value) => value.startsWith(words.at(-1) ?? ''));
};

const completeValues = async (name: string | undefined, words: string[]) => {
  if (name === 'scope') return Scope.options;
  if (name === 'stack') return deployments(optionValue(words, '--region'));
  if (name !== 'uid' && name !== 'agentId') return undefined;
  if (words.includes('--stack') || words.includes('--table') || process.env.TABLE_NAME) return undefined;
  const options: GlobalOptions = { runFile: optionValue(words, '--run-file'), json: true };
  const stores = await openStores(options);
  if (name === 'uid') return (await allUsers(stores.table)).map(({ uid }) => uid);
  return (await Array.fromAsync(allAgents(stores))).map(({ agentId }) => agentId);
};

const optionValue = (words: string[], option: string) =>
  words.includes(option) ? words[words.indexOf(option) + 1] : undefined;

/** Returns the name of the option or the argument to which the last word belongs: `--agent-id` and `<agentId>` are `agentId`. */
const nameOfLast = (program: Command, words: string[]): string | undefined => {
  const before = words.slice(0, -1);
  let command = program;
  let option: Option | undefined;
  for (const word of before) {
    const next = command.commands.find((one) => one.name() === word);
    const named = [...program.options, ...command.options].find(({ long, short }) => word === long || word === short);
    if (named) option = named.required ? named : undefined;
    else if (option) option = option.variadic ? option : undefined;
    else if (next) command = next;
  }
  return option?.attributeName() ?? command.registeredArguments[0]?.name();
};
