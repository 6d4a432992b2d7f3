import password from '@inquirer/password';
import { isApiKey } from '../../functions/domain/api-keys.ts';
import { InputFileError } from './input-file-error.ts';

/** The key from `VAP_API_KEY`, or asked for without showing it. Never an argument: a shell remembers those. */
export const apiKeyOf = async (): Promise<string> => {
  const given = process.env.VAP_API_KEY?.trim();
  if (given) return checked(given, 'VAP_API_KEY');
  if (!process.stdin.isTTY) {
    throw new InputFileError('There is no API key: set VAP_API_KEY, or start this on a terminal to be asked for it.');
  }
  const asked = await password({ message: 'API key', mask: true }, { output: process.stderr }).catch((error: Error) => {
    if (error.name === 'ExitPromptError') throw new InputFileError('Nothing was sent.');
    throw error;
  });
  return checked(asked.trim(), 'This');
};

const checked = (key: string, what: string) => {
  if (!isApiKey(key))
    throw new InputFileError(`${what} is not an API key: one looks like vap_… and is 34 characters long.`);
  return key;
};
