import type { NumberOutcome } from '../../domain/block-list.ts';
import { listForms } from '../../domain/number-forms.ts';
import type { BlockListOwner } from '../keys.ts';
import type { BlockList } from './block-list.ts';

/** The first of these that a form has is the number's outcome. */
const outcomesByRank: NumberOutcome[] = ['temporarily_unavailable', 'done'];

/** Unblocks all forms of distinct numbers, with one outcome for each. */
export const removeForms = async (
  blockList: Pick<BlockList, 'remove'>,
  owner: BlockListOwner,
  phones: string[],
): Promise<Map<string, NumberOutcome>> => {
  const outcomes = await blockList.remove(owner, [...new Set(phones.flatMap(listForms))]);
  const chooseOutcome = (phone: string): NumberOutcome => {
    const reached = listForms(phone).map((form) => outcomes.get(form));
    return outcomesByRank.find((outcome) => reached.includes(outcome)) ?? 'not_found';
  };
  return new Map(phones.map((phone) => [phone, chooseOutcome(phone)]));
};
