import * as z from 'zod/mini';
import { choiceField, describe, flagField } from './describe.ts';
import { limits } from './limits.ts';
import { list } from './list.ts';
import { text } from './text.ts';
import { platformNames } from './voice-platforms.ts';

/** The voice platform of an agent and its assistants there, and whether its calls are reconciled every hour. */
export const AgentPlatform = z
  .strictObject({
    name: choiceField(platformNames, 'The voice platform.', 'vapi'),
    assistantIds: z.optional(
      list(text(1, limits.assistantIdCharacters), { max: limits.assistantIds }).check(
        describe(
          'The assistants at the platform: ids of assistants (Vapi) or agents (Retell, ElevenLabs), or SIDs of phone numbers (Twilio). Without any, calls to and from its `phoneNumber` are the agent’s.',
          ['4f1c2e3d-5b6a-4789-9c0d-1e2f3a4b5c6d'],
        ),
      ),
    ),
    reconcile: z.optional(flagField('Whether the service reconciles the calls of the last 26 hours every hour.', true)),
  })
  .check(
    describe(
      'The voice platform of the agent. Its list of calls shows those whose end never arrived. Reading it requires a key for the platform.',
      { name: 'vapi', assistantIds: ['4f1c2e3d-5b6a-4789-9c0d-1e2f3a4b5c6d'], reconcile: true },
    ),
  );
export type AgentPlatform = z.infer<typeof AgentPlatform>;

/** Returns the platform that a configuration names. One that was stored before this field had a meaning may hold anything in it. */
export const readAgentPlatform = ({ platform }: { platform?: unknown }): AgentPlatform | undefined =>
  z.safeParse(AgentPlatform, platform).data;
