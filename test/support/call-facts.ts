import * as z from 'zod/mini';
import { CallFacts, factNames } from '../../functions/domain/calls.ts';

const readExample = (schema: z.core.$ZodType) =>
  z.globalRegistry.get(schema instanceof z.ZodMiniOptional ? schema.def.innerType : schema)?.examples?.[0];

/** Every fact of a call, with the value of its example. */
export const exampleFacts = Object.fromEntries(
  factNames.map((name) => [name, readExample(CallFacts.shape[name])]),
) as Required<CallFacts>;
