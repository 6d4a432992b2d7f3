import parsePhoneNumber, { type CountryCode } from 'libphonenumber-js/min';
import { CallOutcomeItem } from '../../functions/domain/calls.ts';
import { isIdentifier } from '../../functions/domain/identifiers.ts';
import { normalizePhoneNumber } from '../../functions/domain/phone-numbers.ts';
import { validate } from '../../functions/domain/validation.ts';
import type { CallOutcomeItem as Item } from '../../functions/openapi/client/client.ts';
import type { ReadOptions, Row, RowError } from './row.ts';

/**
 * Validates a row as the service does, and rejects agent and call ids that cannot exist. `given` has the fields of the item,
 * and `input` everything that was read.
 */
export const checkedRow = (
  line: number,
  { given, input }: { given: Record<string, unknown>; input: Record<string, unknown> },
  options: ReadOptions,
  knownErrors: RowError[] = [],
): Row => {
  const item: Record<string, unknown> = {
    ...(options.agentId !== undefined && { agentId: options.agentId }),
    ...given,
  };
  if (typeof item.callIdOrPhone === 'string') {
    item.callIdOrPhone =
      normalizePhoneNumber(item.callIdOrPhone) ??
      fromNationalNumber(item.callIdOrPhone, options.country) ??
      item.callIdOrPhone;
  }
  const { agentId, callIdOrPhone } = item;
  const errors = [...knownErrors];
  for (const { path, message } of validate(CallOutcomeItem, item).error?.details ?? []) {
    const [field = ''] = path.split('.');
    if (errors.some(({ column }) => column === field)) continue;
    errors.push({ column: field, message: item[field] === undefined ? 'is missing' : message });
  }
  if (typeof agentId === 'string' && !isIdentifier(agentId)) {
    errors.push({ column: 'agentId', message: 'is not an agent id: 1 to 128 of A-Z a-z 0-9 _ . : -' });
  }
  if (typeof callIdOrPhone === 'string' && !isIdentifier(callIdOrPhone) && !normalizePhoneNumber(callIdOrPhone)) {
    const message = 'is neither a call id nor a phone number in E.164 format, such as +14155550100';
    errors.push({ column: 'callIdOrPhone', message });
  }
  const row = { line, agentId: textOf(agentId), callIdOrPhone: textOf(callIdOrPhone), input };
  return errors.length > 0 ? { ...row, errors } : { ...row, item: item as unknown as Item };
};

/** Returns the E.164 form of a number as dialed within a country; undefined if it is not such a number. */
const fromNationalNumber = (text: string, country: CountryCode | undefined) => {
  if (!country || !/^[\d\s/().-]{3,30}$/.test(text)) return undefined;
  const number = parsePhoneNumber(text, country);
  return number?.isPossible() ? number.number : undefined;
};

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
