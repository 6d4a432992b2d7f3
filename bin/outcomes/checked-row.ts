import { CallOutcomeItem, outcomeFields } from '../../functions/domain/calls.ts';
import { isIdentifier } from '../../functions/domain/identifiers.ts';
import { normalisePhoneNumber } from '../../functions/domain/phone-numbers.ts';
import { validate } from '../../functions/domain/validation.ts';
import type { Schema } from '../../functions/openapi/client.ts';
import type { ReadOptions, Row, RowError } from './row.ts';

/** The fields of an item, as a header or a line may name them. */
export const fields = ['agentId', 'callIdOrPhone', 'preference', 'metadataMode', ...outcomeFields] as const;

/**
 * A row of what was read, checked as the service will check it, and a little more: what could be neither an agent nor a
 * call is told before anything is sent.
 */
export const checkedRow = (
  line: number,
  read: Record<string, unknown>,
  options: ReadOptions,
  alreadyWrong: RowError[] = [],
): Row => {
  const item: Record<string, unknown> = { ...(options.agentId !== undefined && { agentId: options.agentId }), ...read };
  if (typeof item.callIdOrPhone === 'string') {
    item.callIdOrPhone = normalisePhoneNumber(item.callIdOrPhone) ?? item.callIdOrPhone;
  }
  const { agentId, callIdOrPhone } = item;
  const mistakes = [...alreadyWrong];
  for (const { path, message } of validate(CallOutcomeItem, item).error?.details ?? []) {
    const [field = ''] = path.split('.');
    if (mistakes.some(({ column }) => column === field)) continue;
    mistakes.push({ column: field, message: item[field] === undefined ? 'is missing' : message });
  }
  if (typeof agentId === 'string' && !isIdentifier(agentId)) {
    mistakes.push({ column: 'agentId', message: 'is not an agent’s id: 1 to 128 of A-Z a-z 0-9 _ . : -' });
  }
  if (typeof callIdOrPhone === 'string' && !isIdentifier(callIdOrPhone) && !normalisePhoneNumber(callIdOrPhone)) {
    const message = 'is neither a call’s id nor a phone number in E.164 format, such as +14155550100';
    mistakes.push({ column: 'callIdOrPhone', message });
  }
  const row = { line, agentId: shown(agentId), callIdOrPhone: shown(callIdOrPhone) };
  return mistakes.length > 0 ? { ...row, mistakes } : { ...row, item: item as unknown as Schema<'CallOutcomeItem'> };
};

const shown = (value: unknown) => (typeof value === 'string' ? value : '');
