import type { CountryCode } from 'libphonenumber-js/max';
import { CallOutcomeItem } from '../../functions/domain/calls.ts';
import { identifierError, isIdentifier } from '../../functions/domain/identifiers.ts';
import { normalizePhoneNumber } from '../../functions/domain/phone-numbers.ts';
import { validate } from '../../functions/domain/validation.ts';
import type { CallOutcomeItem as Item } from '../../functions/openapi/client/client.ts';
import { isUnreadable } from '../../functions/sheets/decode-sheet.ts';
import { readNationalNumber } from '../../functions/sheets/national-number.ts';
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
  const item: Record<string, unknown> = { agentId: options.agentId, ...given };
  const errors = [...knownErrors];
  for (const [field, value] of Object.entries(item)) {
    if (isUnreadable(JSON.stringify([field, value]))) errors.push({ column: field, message: notUtf8 });
  }
  const hasError = (field: string) => errors.some(({ column }) => column === field);
  if (typeof item.callIdOrPhone === 'string') {
    const number = readNumber(item.callIdOrPhone, options.country);
    if (number === 'ambiguous') errors.push({ column: 'callIdOrPhone', message: ambiguous });
    else item.callIdOrPhone = number ?? item.callIdOrPhone;
  }
  const { agentId, callIdOrPhone } = item;
  for (const { path, message } of validate(CallOutcomeItem, item).error?.details ?? []) {
    const [field = ''] = path.split('.');
    if (hasError(field)) continue;
    errors.push({ column: field, message: item[field] === undefined ? 'is missing' : message });
  }
  if (typeof agentId === 'string' && !hasError('agentId') && !isIdentifier(agentId)) {
    errors.push({ column: 'agentId', message: identifierError });
  }
  const isCall =
    typeof callIdOrPhone !== 'string' || isIdentifier(callIdOrPhone) || normalizePhoneNumber(callIdOrPhone);
  if (!isCall && !hasError('callIdOrPhone')) {
    const message = 'is neither a call id nor a phone number in E.164 format, such as +14155550100';
    errors.push({ column: 'callIdOrPhone', message });
  }
  const row = { line, place: { agentId: asText(agentId), callIdOrPhone: asText(callIdOrPhone) }, input };
  return errors.length > 0 ? { ...row, errors } : { ...row, item: item as unknown as Item };
};

/** Returns the E.164 form of a number: with its country code, or as it is dialed within the country that is given. */
export const readNumber = (text: string, country: CountryCode | undefined) =>
  normalizePhoneNumber(text) ?? (country && readNationalNumber(text, country));

export const ambiguous = 'may be a national number or one with its country code: write + before the country code';

const notUtf8 = 'is not in UTF-8: save the file in UTF-8, and try again';

const asText = (value: unknown) => (typeof value === 'string' ? value : '');
