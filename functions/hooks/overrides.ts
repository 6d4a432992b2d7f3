import type { AgentConfiguration } from '../domain/agents.ts';
import { discloseFirst } from '../domain/disclosure-sentence.ts';
import { chooseDisclosure } from '../domain/disclosures.ts';

/** The configured fields that override a platform's settings. */
export type Overrides = {
  greeting?: string;
  instructions?: string;
  language?: string;
  model?: string;
};

/** Returns the overrides of a configuration, which nothing has checked. */
export const readOverrides = (configuration: AgentConfiguration): Overrides => {
  const textOverride = (name: keyof Overrides) => {
    const value = configuration[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    greeting: discloseFirst(chooseDisclosure(configuration), textOverride('greeting')),
    // Without instructions, the platform's own stay.
    instructions: textOverride('instructions') || undefined,
    language: textOverride('language') || undefined,
    model: textOverride('model') || undefined,
  };
};

/** Returns the variables that stand in for unsupported overrides. */
export const overrideVariables = ({ instructions, language }: Overrides): Record<string, string> => ({
  ...(instructions !== undefined && { agent_instructions: instructions }),
  ...(language !== undefined && { agent_language: language }),
});
