import type { PlatformRequests } from '../../clients/platform-requests.ts';
import { isJsonObject } from '../../domain/json.ts';
import { readText } from '../../hooks/platforms/platform.ts';
import { endStatuses } from '../../hooks/platforms/twilio.ts';
import { type CallList, type Criteria, type ListedCall, listObjects, type Position, readEach } from './list.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** Twilio's list of calls, by days of UTC. https://www.twilio.com/docs/voice/api/call-resource */
export const twilio: CallList = {
  headers: (apiKey, accountId) => {
    const credentials = apiKey.includes(':') ? apiKey : `${accountId}:${apiKey}`;
    return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  },
  open: (requests, criteria) => readCalls(requests, criteria, `/2010-04-01/Accounts/${criteria.accountId}/Calls.json`),
};

/** Telnyx's list of TeXML calls, which is as Twilio's. https://developers.telnyx.com/api-reference/texml-rest-commands */
export const telnyx: CallList = {
  headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  open: (requests, criteria) => readCalls(requests, criteria, `/v2/texml/Accounts/${criteria.accountId}/Calls`),
};

/** The calls to one of our numbers or from it, or all calls of the account. */
type Part = { To?: string; From?: string };

const readCalls = (requests: PlatformRequests, { from, to, assistantIds, number }: Criteria, path: string) => {
  const names = assistantIds.length > 0 ? assistantIds : number === undefined ? [] : [number];
  // A SID of a number is no filter of the list.
  const parts: Part[] = names.every((name) => name.startsWith('+'))
    ? names.flatMap((name) => [{ To: name }, { From: name }])
    : [{}];
  const toDay = (time: number) => new Date(time).toISOString().slice(0, 'yyyy-mm-dd'.length);
  const days = { 'StartTime>': toDay(from), 'StartTime<': toDay(to + dayMilliseconds) };
  return readEach(parts, async (part, position?: Position) => {
    const page = await (typeof position?.uri === 'string'
      ? requests.send(position.uri)
      : requests.send(path, { query: { ...part, ...days, PageSize: 1000 } }));
    const { calls: sent, next_page_uri: uri } = isJsonObject(page) ? page : {};
    const calls = listObjects(sent)
      // A leg of a call is no call.
      .filter((call) => !readText(call, 'parent_call_sid') && isOfPart(call, part) && isOfAssistant(call, assistantIds))
      .map(toListedCall);
    return { calls, next: typeof uri === 'string' && uri !== '' ? { uri } : undefined };
  });
};

const isOutbound = (call: Record<string, unknown>) => readText(call, 'direction')?.startsWith('outbound') ?? false;
const ownNumber = (call: Record<string, unknown>) => readText(call, isOutbound(call) ? 'from' : 'to');

/** Checks that the number is our side's. */
const isOfPart = (call: Record<string, unknown>, { To, From }: Part) =>
  (To === undefined || !isOutbound(call)) && (From === undefined || isOutbound(call));

const isOfAssistant = (call: Record<string, unknown>, assistantIds: string[]) =>
  assistantIds.length === 0 ||
  [readText(call, 'phone_number_sid'), ownNumber(call)].some(
    (name) => name !== undefined && assistantIds.includes(name),
  );

const toListedCall = (call: Record<string, unknown>): ListedCall => {
  const { sid, from, to, direction, status, duration, end_time, price, price_unit } = call;
  const start = Date.parse(readText(call, 'start_time') ?? readText(call, 'date_created') ?? '');
  return {
    id: readText(call, 'sid') ?? '',
    startedAt: Number.isNaN(start) ? undefined : start,
    isOver: endStatuses.has(readText(call, 'status') ?? ''),
    own: ownNumber(call),
    event: {
      ...{ CallSid: sid, From: from, To: to, Direction: direction, CallStatus: status, CallDuration: duration },
      ...{ Timestamp: end_time, Price: price, PriceUnit: price_unit },
    },
  };
};
