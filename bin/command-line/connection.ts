import { Option } from '@commander-js/extra-typings';
import password from '@inquirer/password';
import { isApiKey } from '../../functions/domain/api-keys.ts';
import { baseUrl } from './arguments.ts';
import { CommandError, exitCodes } from './exit-codes.ts';

/** The option that names the service of a command that also works on a table. */
export const serviceOption = [
  '--base-url <address>',
  'the address of the service (default: of the local run or the --stack)',
  baseUrl,
] as const;

/** The option that names the service of a command that works with a key alone. */
export const baseUrlOption = () =>
  new Option('--base-url <address>', 'the address of the service')
    .env('VAP_BASE_URL')
    .argParser(baseUrl)
    .makeOptionMandatory();

/** Returns the help text about the source of the API key and the scopes that it needs. */
export const keyHelp = (scopes: string) =>
  `\nThe API key is read from VAP_API_KEY, or prompted for on a terminal. It needs ${scopes}.`;

/** Returns the key in `VAP_API_KEY`, if there is one. */
export const givenApiKey = (): string | undefined => {
  const given = process.env.VAP_API_KEY?.trim();
  return given ? requireApiKey(given, 'VAP_API_KEY') : undefined;
};

/** Returns the address in `VAP_BASE_URL`, if there is one. */
export const givenBaseUrl = (): string | undefined => {
  const given = process.env.VAP_BASE_URL?.trim();
  try {
    return given ? baseUrl(given) : undefined;
  } catch (error) {
    throw new CommandError(`VAP_BASE_URL cannot be used. ${(error as Error).message}`, exitCodes.usage);
  }
};

/** Reads the key from `VAP_API_KEY` or a prompt. It is never an argument: the shell's history would keep it. */
export const readApiKey = async (): Promise<string> => {
  const given = givenApiKey();
  if (given) return given;
  if (!process.stdin.isTTY) {
    throw new CommandError('There is no API key. Set VAP_API_KEY, or run this on a terminal.', exitCodes.usage);
  }
  const entered = await password({ message: 'API key', mask: true }, { output: process.stderr }).catch(
    (error: Error) => {
      if (error.name === 'ExitPromptError') throw new CommandError('Canceled. Nothing was sent.', exitCodes.usage);
      throw error;
    },
  );
  return requireApiKey(entered.trim(), 'The input');
};

/** Returns a key. Fails if it does not have the form of one. */
const requireApiKey = (key: string, source: string): string => {
  if (isApiKey(key)) return key;
  throw new CommandError(`${source} is not an API key. Keys start with vap_ and have 34 characters.`, exitCodes.usage);
};
