import * as z from 'zod/mini';
import { AgentConfigurationInput } from '../../../functions/domain/agents.ts';
import { isDeeperThan } from '../../../functions/domain/json.ts';
import { limits } from '../../../functions/domain/limits.ts';
import { validate } from '../../../functions/domain/validation.ts';
import { formatDetails } from '../../command-line/arguments.ts';
import { CommandError, exitCodes } from '../../command-line/exit-codes.ts';
import { readJson } from '../json-file.ts';

/** Request bodies have the same bound. */
const notTooDeep = z.refine<object>((value) => !isDeeperThan(value, limits.jsonDepth - 1), { error: 'nests too deep' });
const Configuration = AgentConfigurationInput.check(notTooDeep);

/** Reads the configuration of an agent from a JSON file. */
export const readConfiguration = async (file: string) => {
  const { data, error } = validate(Configuration, await readJson(file));
  if (error) throw new CommandError(`${file} is not valid: ${formatDetails(error)}.`, exitCodes.usage);
  return data;
};
