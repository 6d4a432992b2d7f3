import { chooseForm } from '../../../domain/number-forms.ts';
import { type ApiClient, dataOf, type GetBlockListRulesResponse, type Result } from '../../../openapi/client/client.ts';
import { useChange, useRead } from '../service.tsx';

export type Rules = Pick<GetBlockListRulesResponse, 'prefixes' | 'allow'>;

/** Reads the rules of an agent's block list, or the user's own ones. */
export const useRules = (agentId: string | undefined) =>
  useRead(['numbers', 'rules', agentId], (api, options) => api.blockList.getRules({ agentId }, options));

/** Checks whether rules allow a number, in any of its forms. */
export const allowsNumber = ({ allow }: Rules, number: string): boolean =>
  allow.some((allowed) => chooseForm(allowed) === chooseForm(number));

const maxAttempts = 3;

/** Changes the newest rules. If somebody else changes them at the same moment, theirs are read, and changed again. */
const changeRules = async (
  api: ApiClient,
  agentId: string | undefined,
  edit: (rules: Rules) => Rules,
): Promise<Result<GetBlockListRulesResponse>> => {
  for (let attempt = 1; ; attempt++) {
    const { prefixes, allow, version } = dataOf(await api.blockList.getRules({ agentId }));
    const result = await api.blockList.setRules({ agentId, ...edit({ prefixes, allow }) }, { ifMatch: version });
    if (result.error?.error !== 'version_conflict' || attempt === maxAttempts) return result;
  }
};

/** Returns a change of the rules of a list. Its input edits the newest ones. */
export const useRulesChange = (agentId: string | undefined, done: string) =>
  useChange((api, _, edit: (rules: Rules) => Rules) => changeRules(api, agentId, edit), {
    changes: [['numbers']],
    done: () => done,
  });
