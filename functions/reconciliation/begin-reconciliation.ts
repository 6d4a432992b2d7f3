import { readAgentPlatform } from '../domain/agent-platform.ts';
import type { Agent } from '../domain/agents.ts';
import { ApiError } from '../domain/errors.ts';
import { platformTitles } from '../domain/voice-platforms.ts';
import type { PlatformKeys } from './platform-keys.ts';
import type { ReconciliationRequest } from './reconciliations.ts';

/** Returns which calls of a platform are an agent's. Throws an error if they cannot be read. */
export const findAssistants = async (
  { uid, configuration, phoneNumber }: Agent,
  platformKeys: Pick<PlatformKeys, 'find'>,
): Promise<Pick<ReconciliationRequest, 'platform' | 'assistantIds' | 'number'>> => {
  const { name: platform, assistantIds = [] } = readAgentPlatform(configuration) ?? {};
  if (platform === undefined)
    throw cannotBegin('The agent has no voice platform. Set `platform` in its configuration.');
  if (assistantIds.length === 0 && phoneNumber === undefined)
    throw cannotBegin(
      'The service cannot tell which calls are the agent’s. Set `assistantIds` in `platform` of its configuration, or its `phoneNumber`.',
    );
  if (!(await platformKeys.find(uid, platform)))
    throw cannotBegin(
      `The owner of the agent has no API key for ${platformTitles[platform]}. Set one with \`PUT /platform-keys/${platform}\`.`,
    );
  return { platform, assistantIds, number: phoneNumber };
};

const cannotBegin = (message: string) => new ApiError('invalid_request', message);
