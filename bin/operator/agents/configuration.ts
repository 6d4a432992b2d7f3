import * as z from 'zod/mini';
import { AgentConfigurationInput } from '../../../functions/domain/agents.ts';
import { isDeeperThan } from '../../../functions/domain/json.ts';
import { limits } from '../../../functions/domain/limits.ts';
import { readJsonFile } from '../json-file.ts';

/** Request bodies have the same bound. */
const notTooDeep = z.refine<object>((value) => !isDeeperThan(value, limits.jsonDepth - 1), { error: 'nests too deep' });
const Configuration = AgentConfigurationInput.check(notTooDeep);

/** Reads the configuration of an agent from a JSON file. */
export const readConfiguration = (file: string) => readJsonFile(Configuration, file);
