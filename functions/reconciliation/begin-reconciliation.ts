import { readAgentPlatform } from '../domain/agent-platform.ts';
import type { Agent } from '../domain/agents.ts';
import { ApiError } from '../domain/errors.ts';
import { platformTitles } from './lists/lists.ts';
import type { PlatformKeys } from './platform-keys.ts';
import type { ReconciliationRequest } from './reconciliations.ts';

/** Returns whose calls an agent's are at its platform. Throws a sentence if they cannot be read. */
export const findAssistants = async (
  { uid, configuration, phoneNumber }: Agent,
  platformKeys: Pick<PlatformKeys, 'find'>,
): Promise<Pick<ReconciliationRequest, 'platform' | 'assistantIds' | 'number'>> => {
  const { name: platform, assistantIds = [] } = readAgentPlatform(configuration) ?? {};
  if (platform === undefined)
    throw cannotBegin('The agent names no voice platform. Set `platform` of its configuration.');
  if (assistantIds.length === 0 && phoneNumber === undefined)
    throw cannotBegin(
      'The agent has neither `assistantIds` in `platform` of its configuration nor a `phoneNumber`, so none of the calls is known to be its own.',
    );
  if (!(await platformKeys.find(uid, platform)))
    throw cannotBegin(
      `The owner of the agent has no key of ${platformTitles[platform]}. Set it by \`PUT /platform-keys/${platform}\`.`,
    );
  return { platform, assistantIds, number: phoneNumber };
};

const cannotBegin = (message: string) => new ApiError('invalid_request', message);
