import { InvalidArgumentError } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { Scope } from '../../../functions/domain/api-keys.ts';
import { problemWithScopes } from '../../../functions/domain/key-grants.ts';
import { CommandError, exitCodes } from '../../command-line/exit-codes.ts';

/** Parses scopes, given as separate arguments or separated by commas. */
export function toScopes(named: string, before: Scope[] = []): Scope[] {
  const added = named.split(',').map((one) => {
    const { success, data } = z.safeParse(Scope, one.trim());
    if (!success) throw new InvalidArgumentError(`It must be one of ${Scope.options.join(', ')}.`);
    return data;
  });
  return [...new Set([...before, ...added])];
}

/** Ends the command for scopes that no key may have together. */
export const requireScopesTogether = (scopes: Scope[] | undefined): void => {
  const problem = problemWithScopes(scopes);
  if (problem) throw new CommandError(`The key ${problem}.`, exitCodes.usage);
};
