import * as z from 'zod/mini';
import { now } from './date-time.ts';
import { invalidField } from './errors.ts';
import { Identifier } from './identifiers.ts';
import { jsonBytes } from './json.ts';
import { limits } from './limits.ts';
import { PhoneNumber } from './phone-numbers.ts';
import { characters, cut, text } from './text.ts';

export const AgentName = text(1, limits.nameCharacters).check(z.describe('The agent’s name.'));

const fields = {
  greeting: z.string().check(z.describe('What the agent says first.')),
  instructions: z.string().check(z.describe('How the agent is to behave.')),
  voice: z.string().check(z.describe('The voice it speaks with.')),
  language: z.string().check(z.describe('Its language, such as en-US.')),
  model: z.string().check(z.describe('The language model it uses.')),
  timeZone: z.string().check(z.describe('Its time zone, such as Europe/Berlin.')),
  transferTo: z.string().check(z.describe('The number calls are handed to.')),
  variables: z.record(z.string(), z.unknown()).check(z.describe('Values its instructions may name.')),
};

const tooLarge = `must be at most ${limits.configurationBytes} bytes of JSON`;
const small = <T extends object>() =>
  z.refine<T>((value) => jsonBytes(value) <= limits.configurationBytes, { error: tooLarge });

/** Known fields, all optional, and whatever else the platform keeps there. */
export const AgentConfiguration = z.looseObject(z.partial(z.object(fields)).shape).check(small());
export type AgentConfiguration = z.infer<typeof AgentConfiguration>;

/** A change of a configuration: a field given replaces the former one, `null` clears it, the others stay. */
export const AgentConfigurationChange = z
  .looseObject(z.partial(z.object(mapValues(fields, (field) => z.nullable(field)))).shape)
  .check(small());

/** What may be changed of an agent. */
export const AgentChange = z.object({
  name: z.optional(AgentName),
  configuration: z.optional(AgentConfigurationChange),
  phoneNumber: z.optional(z.nullable(PhoneNumber)),
});
export type AgentChange = z.infer<typeof AgentChange>;

export const Agent = z.object({
  uid: Identifier,
  agentId: Identifier,
  name: AgentName,
  configuration: AgentConfiguration,
  phoneNumber: z.optional(PhoneNumber),
  createdAt: z.string(),
  updatedAt: z.string(),
  sourceAgentId: z.optional(Identifier),
});
export type Agent = z.infer<typeof Agent>;

/** The name of a copy: the source's with ` (Copy)`, cut where it would be too long. */
export const nameOfCopy = (name: string) => {
  const suffix = ' (Copy)';
  return cut(name, limits.nameCharacters - characters(suffix)) + suffix;
};

/** The agent with a change made. `null` clears a field; identity and origin never change. */
export const withChange = (agent: Agent, change: AgentChange): Agent => {
  const { phoneNumber = agent.phoneNumber, name = agent.name } = change;
  const merged = { ...agent.configuration, ...change.configuration };
  const configuration = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
  if (jsonBytes(configuration) > limits.configurationBytes) throw invalidField('configuration', tooLarge);
  const { phoneNumber: _, ...rest } = agent;
  return { ...rest, ...(phoneNumber && { phoneNumber }), name, configuration, updatedAt: now() };
};

function mapValues<K extends string, A, B>(object: Record<K, A>, change: (value: A) => B): Record<K, B> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value as A)])) as Record<K, B>;
}
