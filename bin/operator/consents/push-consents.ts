import { limits } from '../../../functions/domain/limits.ts';
import { readPhoneNumber } from '../../../functions/domain/read-phone-number.ts';
import type { ConsentFailure, NewConsent, RecordedConsent } from '../../../functions/openapi/client/client.ts';
import type { Operation, Outcome } from '../../command-line/sending/sender.ts';
import { detectDialect } from '../../outcomes/dialect.ts';
import { ErrorList } from '../../outcomes/error-list.ts';
import { pushRows, type Report, type Rows, type RunOptions, tryRows } from '../../outcomes/push-rows.ts';
import type { Service } from '../service.ts';
import { type ConsentRowOptions, consentResultFields, readConsentRows } from './consent-rows.ts';

/** Records the consents of a user. A record that is sent again is the same record. */
export const recordConsents = (uid: string): Operation<NewConsent, 'recorded'> => ({
  status: 'recorded',
  send: (api, consents, options) => api.consents.record({ uid, consents }, options),
  match: (data, items) => matchRecords(data as Results, items),
  // Requests for one person at the same time would wait for each other.
  reference: ({ number }) => number,
});

type Results = { recorded: RecordedConsent[]; failed: ConsentFailure[] };

/** Returns the result of each item. Both lists of the response are in the order sent. */
const matchRecords = ({ recorded, failed }: Results, items: NewConsent[]): Outcome<'recorded'>[] => {
  const records = recorded.values();
  const failures = failed.values();
  let next = records.next();
  return items.map((item) => {
    if (!next.done && isRecordOf(next.value, item)) {
      const { consentId } = next.value;
      next = records.next();
      return { status: 'recorded', consentId };
    }
    const { value: failure } = failures.next();
    const { code = 'internal_error', message, reason } = failure ?? {};
    return { status: 'failed', error: code, message: message ?? reason ?? 'The response does not have this row.' };
  });
};

const isRecordOf = ({ number, purpose, state, at }: RecordedConsent, item: NewConsent) =>
  number === readPhoneNumber(item.number).number && purpose === item.purpose && state === item.state && at === item.at;

/** Prints the errors of a file: those of the same words are one line, because a sheet has one mistake in many rows. */
const reportErrors = (file: string): Report<unknown> => {
  const errors = new ErrorList();
  return {
    add: (row) => errors.add(file, row),
    end: () => errors.say(),
  };
};

const describeRows = async (
  file: string,
  uid: string,
  options: ConsentRowOptions,
): Promise<Rows<NewConsent, 'recorded'>> => ({
  operation: recordConsents(uid),
  maxRows: limits.consentsPerRequest,
  read: (onBytes) => readConsentRows(file, options, onBytes),
  form: { format: 'csv', dialect: await detectDialect(file), fields: consentResultFields },
  report: reportErrors(file),
  participle: 'recorded',
});

/** Checks the rows of a file, and sends nothing. */
export const tryConsents = async (file: string, options: ConsentRowOptions, signal: AbortSignal): Promise<void> =>
  tryRows(await describeRows(file, '', options), signal);

/** Records the consents of every row of a file. Fails unless all of them are recorded. */
export const pushConsents = async (
  file: string,
  { api, baseUrl, uid }: Service<undefined>,
  options: ConsentRowOptions & RunOptions,
): Promise<void> => {
  const { columns, states, fallbacks, country, ignoreUnknown, onlyFailed } = options;
  const run = { uid, columns: [...columns], states: [...states], fallbacks, country, ignoreUnknown, onlyFailed };
  const flagsForFailed = listFlagsForFailed(options);
  await pushRows(file, await describeRows(file, uid, options), { baseUrl, api, run, flagsForFailed }, options);
};

/** Returns the options with which the results of a run are read. Their headings are the names of the fields. */
const listFlagsForFailed = ({ states, fallbacks, country }: ConsentRowOptions): string => {
  const meanings = [...states].map(([value, meaning]) => `${value}:${meaning}`);
  return [
    '--only-failed',
    ...(meanings.length > 0 ? [`--map ${JSON.stringify(`state=${meanings.join(',')}`)}`] : []),
    ...Object.entries(fallbacks).flatMap(([field, value]) =>
      value === undefined ? [] : [`--${field.replace('_', '-')} ${JSON.stringify(value)}`],
    ),
    ...(country === undefined ? [] : [`--country ${country}`]),
  ].join(' ');
};
