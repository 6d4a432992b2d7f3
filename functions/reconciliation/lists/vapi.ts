import pMap from 'p-map';
import { PlatformError, type PlatformRequests } from '../../clients/platform-requests.ts';
import { readObject, readText } from '../../hooks/platforms/platform.ts';
import { type CallList, type ListedCall, listObjects, readEach } from './list.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;
/** A scheduled call is created before it starts. */
const maxScheduledMilliseconds = 7 * dayMilliseconds;
const maxPageCalls = 1000;
/** A page of fewer calls is the last one, whatever Vapi's maximum is. */
const minPageCalls = 100;
const lookupConcurrency = 4;

/**
 * Vapi's list of calls, the newest first, which has no cursor: the next page begins at the creation of the last call.
 * https://docs.vapi.ai/api-reference/calls/list
 */
export const vapi: CallList = {
  headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),

  open(requests, { from, to, assistantIds }) {
    const findNumber = numberFinder(requests);
    const range = {
      createdAtGe: new Date(from - maxScheduledMilliseconds).toISOString(),
      // A call that starts later is updated later.
      updatedAtGe: new Date(from).toISOString(),
    };
    const assistants = assistantIds.length > 0 ? assistantIds : [undefined];
    return readEach(
      assistants,
      async (assistantId, { createdAtLe = new Date(to).toISOString(), limit = maxPageCalls } = {}) => {
        const query = { limit, assistantId, ...range, createdAtLe };
        const sent = await requests.send('/call', { query }).catch((error: Error) => {
          if (!(error instanceof PlatformError && error.isTooLarge) || Number(limit) === 1) throw error;
          return undefined;
        });
        // Calls have their transcripts: fewer of them fit.
        if (sent === undefined) return { calls: [], next: { createdAtLe, limit: Math.ceil(Number(limit) / 4) } };
        const found = listObjects(sent);
        const calls = await pMap(found, (call) => toListedCall(call, findNumber, assistantIds.length === 0), {
          concurrency: lookupConcurrency,
        });
        const last = readText(found.at(-1) ?? {}, 'createdAt');
        return {
          calls,
          next:
            found.length >= Math.min(Number(limit), minPageCalls) && last ? { createdAtLe: last, limit } : undefined,
        };
      },
    );
  },
};

type FindNumber = (phoneNumberId: string) => Promise<string | undefined>;

const toListedCall = async (
  call: Record<string, unknown>,
  findNumber: FindNumber,
  needsNumber: boolean,
): Promise<ListedCall> => {
  const phoneNumberId = readText(call, 'phoneNumberId');
  const transient = readObject(call, 'phoneNumber');
  const named =
    readText(transient, 'number') ?? readText(transient, 'twilioPhoneNumber') ?? readText(transient, 'sipUri');
  const find = async () => named ?? (phoneNumberId === undefined ? undefined : await findNumber(phoneNumberId));
  const own = needsNumber ? await find() : named;
  const start = Date.parse(readText(call, 'startedAt') ?? readText(call, 'createdAt') ?? '');
  return {
    id: readText(call, 'id') ?? '',
    startedAt: Number.isNaN(start) ? undefined : start,
    isOver: readText(call, 'status') === 'ended',
    own,
    event: toEvent(call, own),
    complete: own === undefined && phoneNumberId !== undefined ? async () => toEvent(call, await find()) : undefined,
  };
};

/** Returns the server message that reports the end of a call. */
const toEvent = (call: Record<string, unknown>, own: string | undefined) => {
  const { customer, startedAt, endedAt, endedReason, cost, analysis, artifact } = call;
  const phoneNumber = own === undefined ? undefined : { number: own };
  const told = { customer, phoneNumber, startedAt, endedAt, endedReason, cost, analysis, artifact };
  return { message: { type: 'end-of-call-report', ...told, call } };
};

/** Returns a lookup of the numbers of a user's phone numbers, each once. */
const numberFinder = (requests: PlatformRequests): FindNumber => {
  const found = new Map<string, Promise<string | undefined>>();
  const find: FindNumber = async (id) => {
    // A number that was deleted is not found.
    const number = await requests.find(`/phone-number/${encodeURIComponent(id)}`);
    return number && (readText(number, 'number') ?? readText(number, 'sipUri'));
  };
  return (id) => {
    const finding = found.get(id) ?? find(id);
    found.set(id, finding);
    return finding;
  };
};
