import * as z from 'zod/mini';
import { AgentConfigurationInput, AgentName, toStoredConfiguration } from '../domain/agents.ts';
import type { ErrorDetail } from '../domain/errors.ts';
import { jsonBytes } from '../domain/json.ts';
import { canonicalLanguage } from '../domain/languages.ts';
import { normalizePhoneNumber } from '../domain/phone-numbers.ts';
import { validate } from '../domain/validation.ts';

/** A draft of an agent: of the right shape, but with values that may be invalid. */
export const AgentDraft = z.object({
  name: z.string().check(z.describe('The agent’s name.')),
  configuration: z
    .looseObject({
      greeting: z.optional(z.string().check(z.describe('What the agent says first.'))),
      instructions: z.optional(
        z.string().check(z.describe('How it behaves; {{name}} is replaced by the variable of that name.')),
      ),
      voice: z.optional(z.string().check(z.describe('The voice it speaks with.'))),
      language: z.optional(z.string().check(z.describe('Its language, such as en-US.'))),
      model: z.optional(z.string().check(z.describe('The language model it uses.'))),
      timeZone: z.optional(z.string().check(z.describe('Its time zone, such as Europe/Berlin.'))),
      transferTo: z.optional(z.string().check(z.describe('The phone number it transfers calls to.'))),
      variables: z.optional(
        z
          .record(z.string(), z.unknown())
          .check(z.describe('Values of the variables in the greeting and the instructions.')),
      ),
    })
    .check(z.describe('The agent’s configuration.')),
  phoneNumber: z.optional(z.string().check(z.describe('The agent’s own phone number.'))),
});
export type AgentDraft = z.infer<typeof AgentDraft>;

/** Checks a draft as POST /agents does, and more. Problems prevent the agent; advice is optional. */
export const draftAgent = (draft: AgentDraft) => {
  const { configuration } = draft;
  const problems: ErrorDetail[] = [
    ...listProblems('name', AgentName, draft.name),
    ...listProblems('configuration', AgentConfigurationInput, configuration),
  ];
  const advice: ErrorDetail[] = [];

  const phoneNumber = draft.phoneNumber && normalizePhoneNumber(draft.phoneNumber);
  if (draft.phoneNumber !== undefined && !phoneNumber) {
    problems.push({ path: 'phoneNumber', message: 'must be a phone number in E.164 format, such as +14155550100' });
  }
  const language = configuration.language && canonicalLanguage(configuration.language);
  for (const field of ['greeting', 'instructions', 'language'] as const) {
    if (!configuration[field]?.trim()) {
      advice.push({ path: `configuration.${field}`, message: 'is missing, but recommended' });
    }
  }
  const variables = Object.keys(configuration.variables ?? {});
  const used = extractVariables(`${configuration.greeting ?? ''} ${configuration.instructions ?? ''}`);
  for (const name of used.filter((name) => !variables.includes(name))) {
    problems.push({ path: `configuration.variables.${name}`, message: `has no value, but {{${name}}} is used` });
  }
  for (const name of variables.filter((name) => !used.includes(name))) {
    advice.push({ path: `configuration.variables.${name}`, message: `has a value, but {{${name}}} is not used` });
  }

  const agent = {
    name: draft.name,
    configuration: toStoredConfiguration({ ...configuration, ...(language && { language }) }),
    ...(phoneNumber && { phoneNumber }),
  };
  return { valid: problems.length === 0, problems, advice, agent, configurationBytes: jsonBytes(agent.configuration) };
};

const listProblems = (path: string, schema: z.core.$ZodType, value: unknown): ErrorDetail[] =>
  (validate(schema, value).error?.details ?? []).map((detail) => ({
    path: detail.path ? `${path}.${detail.path}` : path,
    message: detail.message,
  }));

const extractVariables = (text: string) => [
  ...new Set([...text.matchAll(/\{\{\s*([\w.-]+)\s*\}\}/g)].map(([, name]) => name as string)),
];
