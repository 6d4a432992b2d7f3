import type { AgentConfiguration } from '../domain/agents.ts';

/** The fields of an agent's configuration that override a platform's own settings. Fields that are not configured are undefined. */
export type Overrides = {
  greeting?: string;
  instructions?: string;
  language?: string;
  model?: string;
};

/** Returns the overrides of a configuration, which is not checked when it is read. */
export const readOverrides = (configuration: AgentConfiguration): Overrides => {
  const textOverride = (name: keyof Overrides) => {
    const value = configuration[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    greeting: textOverride('greeting'),
    // Without instructions, the platform's own stay.
    instructions: textOverride('instructions') || undefined,
    language: textOverride('language') || undefined,
    model: textOverride('model') || undefined,
  };
};

/** Returns the variables that a platform's prompts use in place of overrides that it does not support. */
export const overrideVariables = ({ instructions, language }: Overrides): Record<string, string> => ({
  ...(instructions !== undefined && { agent_instructions: instructions }),
  ...(language !== undefined && { agent_language: language }),
});
