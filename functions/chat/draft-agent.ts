import * as z from 'zod/mini';
import {
  AgentConfiguration,
  AgentName,
  canonicalLanguage,
  configurationErrors,
  toStoredConfiguration,
} from '../domain/agents.ts';
import type { ErrorDetail } from '../domain/errors.ts';
import { jsonBytes } from '../domain/json.ts';
import { normalisePhoneNumber } from '../domain/phone-numbers.ts';
import { validate } from '../domain/validation.ts';

/** An agent as somebody has it in mind: of the right shape, and otherwise as wrong as it may be. */
export const AgentDraft = z.object({
  name: z.string().check(z.describe('The agent’s name.')),
  configuration: z
    .looseObject({
      greeting: z.optional(z.string().check(z.describe('What the agent says first.'))),
      instructions: z.optional(z.string().check(z.describe('How it is to behave; {{name}} stands for a variable.'))),
      voice: z.optional(z.string().check(z.describe('The voice it speaks with.'))),
      language: z.optional(z.string().check(z.describe('Its language, such as en-US.'))),
      model: z.optional(z.string().check(z.describe('The language model it uses.'))),
      timeZone: z.optional(z.string().check(z.describe('Its time zone, such as Europe/Berlin.'))),
      transferTo: z.optional(z.string().check(z.describe('The number calls are handed to.'))),
      variables: z.optional(z.record(z.string(), z.unknown()).check(z.describe('Values the instructions may name.'))),
    })
    .check(z.describe('The agent’s configuration.')),
  phoneNumber: z.optional(z.string().check(z.describe('The agent’s own phone number.'))),
});
export type AgentDraft = z.infer<typeof AgentDraft>;

/**
 * Checks a draft as POST /agents would, and beyond that whether it makes sense: known languages and time zones, numbers
 * that can be called, no variable that nobody sets. Problems must be mended; advice need not be taken.
 */
export const draftAgent = (draft: AgentDraft) => {
  const { configuration } = draft;
  const problems: ErrorDetail[] = [
    ...refusalsOf('name', AgentName, draft.name),
    ...refusalsOf('configuration', AgentConfiguration, configuration),
  ];
  const advice: ErrorDetail[] = [];

  const phoneNumber = numberIn(problems, 'phoneNumber', draft.phoneNumber);
  for (const { path, message } of configurationErrors(configuration)) {
    problems.push({ path: `configuration.${path}`, message });
  }
  const language = configuration.language && canonicalLanguage(configuration.language);
  for (const field of ['greeting', 'instructions', 'language'] as const) {
    if (!configuration[field]?.trim()) {
      advice.push({ path: `configuration.${field}`, message: 'is missing: an agent does better with it' });
    }
  }
  const variables = Object.keys(configuration.variables ?? {});
  const named = namedIn(`${configuration.greeting ?? ''} ${configuration.instructions ?? ''}`);
  for (const name of named.filter((name) => !variables.includes(name))) {
    problems.push({ path: `configuration.variables.${name}`, message: `is not set, but {{${name}}} is used` });
  }
  for (const name of variables.filter((name) => !named.includes(name))) {
    advice.push({ path: `configuration.variables.${name}`, message: `is set, but {{${name}}} is used nowhere` });
  }

  const agent = {
    name: draft.name,
    configuration: toStoredConfiguration({ ...configuration, ...(language && { language }) }),
    ...(phoneNumber && { phoneNumber }),
  };
  return { valid: problems.length === 0, problems, advice, agent, configurationBytes: jsonBytes(agent.configuration) };
};

const refusalsOf = (path: string, schema: z.core.$ZodType, value: unknown): ErrorDetail[] =>
  (validate(schema, value).error?.details ?? []).map((detail) => ({
    path: detail.path ? `${path}.${detail.path}` : path,
    message: detail.message,
  }));

const numberIn = (problems: ErrorDetail[], path: string, given: string | undefined): string | undefined => {
  if (given === undefined) return undefined;
  const number = normalisePhoneNumber(given);
  if (!number) problems.push({ path, message: 'must be a phone number in E.164 format, such as +14155550100' });
  return number;
};

const namedIn = (text: string) => [
  ...new Set([...text.matchAll(/\{\{\s*([\w.-]+)\s*\}\}/g)].map(([, name]) => name as string)),
];
