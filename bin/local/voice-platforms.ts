import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { PlatformName } from '../../functions/domain/voice-platforms.ts';
import { type Listening, listen } from './listen.ts';

/** A call at a platform. Times are Unix milliseconds. */
export type PlatformCall = {
  id: string;
  assistantId?: string;
  direction?: 'inbound' | 'outbound';
  own?: string;
  other?: string;
  createdAt?: number;
  startedAt?: number;
  endedAt?: number;
  /** The platform's own word. */
  status: string;
  /** In US dollars. */
  cost?: number;
  summary?: string;
  /** The fields that the platform found out. */
  findings?: Record<string, unknown>;
  /** What the caller said. */
  said?: string[];
  /** Twilio: the call whose leg this is, and the SID of the number. */
  parent?: string;
  numberSid?: string;
};

/** What a platform has: the key that reads it, and its calls. */
export type PlatformAccount = { apiKey: string; accountId?: string; calls: PlatformCall[] };
/** A response in place of the platform's own. */
export type PlatformFault = { status?: number; headers?: Record<string, string>; body?: unknown };

export type VoicePlatforms = Listening & {
  accounts: Partial<Record<PlatformName, PlatformAccount>>;
  /** The requests so far. */
  requests: { method: string; path: string }[];
  /** Decides on each request whether a fault responds. */
  fault?: (path: string) => PlatformFault | undefined;
  /** The maximum number of calls of a page, below that of the platform. */
  maxPage: number;
};

/** Starts fakes of the lists of calls of the five voice platforms, at one address, because their paths differ. */
export const startVoicePlatforms = async (port?: number): Promise<VoicePlatforms> => {
  const server = createServer((request, response) => void respond(platforms, request, response));
  const platforms: VoicePlatforms = { ...(await listen(server, port)), accounts: {}, requests: [], maxPage: 1000 };
  return platforms;
};

type Asked = { path: string; query: URLSearchParams; headers: IncomingMessage['headers']; body: string };
type Answer = { status?: number; body: unknown };
type Route = {
  platform: PlatformName;
  form: RegExp;
  answer(asked: Asked & { match: RegExpExecArray }, of: Fake): Answer;
};
type Fake = { account: PlatformAccount; maxPage: number };

const respond = async (platforms: VoicePlatforms, request: IncomingMessage, response: ServerResponse) => {
  const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
  const { method = 'GET', headers } = request;
  platforms.requests.push({ method, path: request.url ?? '/' });
  const body = await text(request);
  const fault = platforms.fault?.(request.url ?? '/');
  const answer = fault ?? find(platforms, { path, query, headers, body });
  const { status = 200 } = answer;
  response.writeHead(status, { 'content-type': 'application/json', ...fault?.headers });
  response.end(JSON.stringify(answer.body ?? { message: 'A fault.' }));
};

const find = ({ accounts, maxPage }: VoicePlatforms, asked: Asked): Answer => {
  for (const { platform, form, answer } of routes) {
    const match = form.exec(asked.path);
    if (!match) continue;
    const account = accounts[platform];
    if (!account || !hasKey(platform, account, asked.headers))
      return { status: 401, body: { message: 'The API key is not valid.' } };
    return answer({ ...asked, match }, { account, maxPage });
  }
  return { status: 404, body: { message: `Cannot find ${asked.path}` } };
};

const hasKey = (
  platform: PlatformName,
  { apiKey, accountId }: PlatformAccount,
  headers: IncomingMessage['headers'],
) => {
  if (platform === 'elevenlabs') return headers['xi-api-key'] === apiKey;
  if (platform !== 'twilio') return headers.authorization === `Bearer ${apiKey}`;
  return headers.authorization === `Basic ${Buffer.from(`${accountId}:${apiKey}`).toString('base64')}`;
};

const iso = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString());
const findStart = ({ startedAt, createdAt = 0 }: PlatformCall) => startedAt ?? createdAt;
const countSeconds = ({ startedAt, endedAt }: PlatformCall) =>
  startedAt === undefined || endedAt === undefined ? undefined : (endedAt - startedAt) / 1000;
const newestFirst = (calls: PlatformCall[], at: (call: PlatformCall) => number) =>
  calls.toSorted((one, other) => at(other) - at(one) || (one.id < other.id ? 1 : -1));
const notFound: Answer = { status: 404, body: { message: 'There is no such resource.' } };

// Vapi: https://docs.vapi.ai/api-reference/calls/list

const findCreation = ({ createdAt, startedAt = 0 }: PlatformCall) => createdAt ?? startedAt;

const toVapi = (call: PlatformCall) => ({
  id: call.id,
  orgId: 'org-1',
  type: call.direction === 'outbound' ? 'outboundPhoneCall' : 'inboundPhoneCall',
  createdAt: iso(findCreation(call)),
  updatedAt: iso(Math.max(findCreation(call), call.startedAt ?? 0, call.endedAt ?? 0)),
  startedAt: iso(call.startedAt),
  endedAt: iso(call.endedAt),
  status: call.status,
  endedReason: call.endedAt === undefined ? undefined : 'customer-ended-call',
  cost: call.cost,
  assistantId: call.assistantId,
  phoneNumberId: call.own === undefined ? undefined : numberId(call.own),
  customer: call.other === undefined ? undefined : { number: call.other },
  analysis: { summary: call.summary, structuredData: call.findings },
  artifact: {
    recordingUrl: call.endedAt === undefined ? undefined : `https://storage.vapi.ai/${call.id}.wav`,
    messages: call.said?.map((message) => ({ role: 'user', message, time: 0, endTime: 0, secondsFromStart: 0 })),
  },
});

/** The id of a phone number at Vapi, which only a request for the number resolves. */
const numberId = (number: string) => `number-${Buffer.from(number).toString('hex')}`;

const listVapi = ({ query }: Asked, { account: { calls }, maxPage }: Fake): Answer => {
  const within = (name: string, time: number) => {
    const at = (end: string) => Date.parse(query.get(name + end) ?? '');
    return !(time < at('Ge') || time <= at('Gt') || time > at('Le') || time >= at('Lt'));
  };
  const limit = Math.min(Number(query.get('limit') ?? 100), maxPage);
  const found = calls.filter((call) => {
    const updatedAt = Math.max(findCreation(call), call.startedAt ?? 0, call.endedAt ?? 0);
    const isOfAssistant = (query.get('assistantId') ?? call.assistantId) === call.assistantId;
    return isOfAssistant && within('createdAt', findCreation(call)) && within('updatedAt', updatedAt);
  });
  return { body: newestFirst(found, findCreation).slice(0, limit).map(toVapi) };
};

const getVapiNumber = ({ match }: { match: RegExpExecArray }, { account: { calls } }: Fake): Answer => {
  const number = calls.map(({ own }) => own).find((own) => own !== undefined && numberId(own) === match[1]);
  if (number === undefined) return notFound;
  const at = { createdAt: iso(0), updatedAt: iso(0) };
  return { body: { id: match[1], orgId: 'org-1', provider: 'vapi', status: 'active', number, ...at } };
};

// Retell: https://docs.retellai.com/api-references/list-calls

const toRetell = (call: PlatformCall) => {
  const [from, to] = call.direction === 'outbound' ? [call.own, call.other] : [call.other, call.own];
  return {
    call_type: 'phone_call',
    call_id: call.id,
    agent_id: call.assistantId,
    agent_version: 1,
    call_status: call.status,
    direction: call.direction ?? 'inbound',
    from_number: from,
    to_number: to,
    start_timestamp: call.startedAt,
    end_timestamp: call.endedAt,
    duration_ms: call.endedAt === undefined || call.startedAt === undefined ? undefined : call.endedAt - call.startedAt,
    disconnection_reason: call.endedAt === undefined ? undefined : 'user_hangup',
    call_cost: call.cost === undefined ? undefined : toRetellCost(call.cost * 100, countSeconds(call) ?? 0),
    call_analysis: { call_summary: call.summary, custom_analysis_data: call.findings ?? {} },
  };
};

const toRetellCost = (combined_cost: number, total_duration_seconds: number) => ({
  ...{ combined_cost, product_costs: [], total_duration_seconds },
  total_duration_unit_price: total_duration_seconds === 0 ? 0 : combined_cost / total_duration_seconds,
});

type RetellFilter = {
  filter_criteria?: { agent?: { agent_id: string }[]; start_timestamp?: { value: [number, number] } };
  limit?: number;
  pagination_key?: string;
};

const listRetell = ({ body }: Asked, { account: { calls }, maxPage }: Fake): Answer => {
  const { filter_criteria = {}, limit = 50, pagination_key } = JSON.parse(body) as RetellFilter;
  const {
    agent,
    start_timestamp: {
      value: [from, to],
    } = { value: [0, Number.POSITIVE_INFINITY] },
  } = filter_criteria;
  const found = calls.filter(
    ({ assistantId, startedAt = Number.NaN }) =>
      startedAt >= from && startedAt <= to && (!agent || agent.some(({ agent_id }) => agent_id === assistantId)),
  );
  return {
    body: takeAfter(
      newestFirst(found, findStart),
      Math.min(limit, maxPage),
      pagination_key,
      ({ page, last, hasMore }) => ({
        items: page.map(toRetell),
        has_more: hasMore,
        ...(hasMore && { pagination_key: last }),
      }),
    ),
  };
};

const getRetell = ({ match }: { match: RegExpExecArray }, { account: { calls } }: Fake): Answer => {
  const call = calls.find(({ id }) => id === match[1]);
  if (!call) return notFound;
  const transcript_object = call.said?.map((content) => ({ role: 'user', content, words: [] }));
  const recording_url = call.endedAt === undefined ? undefined : `https://retell.example/${call.id}.wav`;
  return { body: { ...toRetell(call), recording_url, transcript: call.said?.join('\n'), transcript_object } };
};

type Taken = { page: PlatformCall[]; last: string; hasMore: boolean };
const takeAfter = <Result>(
  calls: PlatformCall[],
  limit: number,
  after: string | null | undefined,
  form: (taken: Taken) => Result,
): Result => {
  const begin = after ? calls.findIndex(({ id }) => id === after) + 1 : 0;
  const page = calls.slice(begin, begin + limit);
  return form({ page, last: page.at(-1)?.id ?? '', hasMore: begin + limit < calls.length });
};

// ElevenLabs: https://elevenlabs.io/docs/api-reference/conversations/list

const unixSeconds = (time: number) => Math.floor(time / 1000);

const summarize = (call: PlatformCall) => ({
  agent_id: call.assistantId ?? 'agent-1',
  conversation_id: call.id,
  start_time_unix_secs: unixSeconds(findStart(call)),
  call_duration_secs: Math.round(countSeconds(call) ?? 0),
  message_count: call.said?.length ?? 0,
  status: call.status,
  call_successful: 'success',
  direction: call.direction ?? 'inbound',
});

const listElevenLabs = ({ query }: Asked, { account: { calls }, maxPage }: Fake): Answer => {
  const [after, before] = ['call_start_after_unix', 'call_start_before_unix'].map((name) => query.get(name));
  const found = calls.filter((call) => {
    const seconds = unixSeconds(findStart(call));
    const isInTime = seconds >= Number(after ?? 0) && seconds <= Number(before ?? Number.POSITIVE_INFINITY);
    return isInTime && (query.get('agent_id') ?? call.assistantId) === call.assistantId;
  });
  const size = Math.min(Number(query.get('page_size') ?? 30), 100, maxPage);
  return {
    body: takeAfter(newestFirst(found, findStart), size, query.get('cursor'), ({ page, last, hasMore }) => ({
      conversations: page.map(summarize),
      has_more: hasMore,
      next_cursor: hasMore ? last : null,
    })),
  };
};

const getElevenLabs = ({ match }: { match: RegExpExecArray }, { account: { calls } }: Fake): Answer => {
  const call = calls.find(({ id }) => id === match[1]);
  if (!call) return notFound;
  const { agent_id, conversation_id, status, start_time_unix_secs, call_duration_secs } = summarize(call);
  const phone_call = {
    type: 'twilio',
    direction: call.direction ?? 'inbound',
    phone_number_id: 'phnum-1',
    agent_number: call.own,
    external_number: call.other,
    stream_sid: 'MZ1',
    call_sid: 'CA1',
  };
  const data_collection_results = Object.fromEntries(
    Object.entries(call.findings ?? {}).map(([id, value]) => [
      id,
      { data_collection_id: id, value, rationale: 'Said so.' },
    ]),
  );
  const has = { has_audio: false, has_user_audio: false, has_response_audio: false, has_auxiliary_audio: false };
  return {
    body: {
      ...{ agent_id, conversation_id, status, ...has },
      metadata: {
        ...{ start_time_unix_secs, call_duration_secs, phone_call: call.own === undefined ? null : phone_call },
        ...{ cost: 296, cost_fiat: call.cost, termination_reason: 'Client ended call' },
      },
      analysis: { call_successful: 'success', transcript_summary: call.summary ?? '', data_collection_results },
      transcript: (call.said ?? []).map((message) => ({ role: 'user', message, time_in_call_secs: 0 })),
    },
  };
};

// Twilio, Telnyx: https://www.twilio.com/docs/voice/api/call-resource

const rfc2822 = (time: number | undefined) =>
  time === undefined ? undefined : new Date(time).toUTCString().replace('GMT', '+0000');

const toTwilio = (call: PlatformCall, accountId: string | undefined, path: string) => {
  const isOutbound = call.direction === 'outbound';
  // Telnyx leaves out what Twilio sends as null.
  const isTelnyx = !path.startsWith('/2010-04-01/');
  const none = isTelnyx ? undefined : null;
  const [from, to] = isOutbound ? [call.own, call.other] : [call.other, call.own];
  return {
    sid: call.id,
    account_sid: accountId,
    parent_call_sid: call.parent ?? none,
    from: from ?? '',
    to: to ?? '',
    direction: isOutbound ? (isTelnyx ? 'outbound' : 'outbound-api') : 'inbound',
    status: call.status,
    date_created: rfc2822(findCreation(call)),
    date_updated: rfc2822(call.endedAt ?? findCreation(call)),
    start_time: rfc2822(call.startedAt) ?? none,
    end_time: rfc2822(call.endedAt) ?? none,
    duration: call.endedAt === undefined ? none : String(Math.round(countSeconds(call) ?? 0)),
    price: call.cost === undefined ? none : String(-call.cost),
    price_unit: 'USD',
    phone_number_sid: call.numberSid ?? none,
    uri: `${path}/${call.id}`,
  };
};

const listTwilio = ({ path, query, match }: Asked & { match: RegExpExecArray }, { account, maxPage }: Fake): Answer => {
  if (match[1] !== account.accountId)
    return { status: 404, body: { code: 20404, message: 'There is no such account.' } };
  const [after, before] = ['StartTime>', 'StartTime<'].map((name) => Date.parse(query.get(name) ?? ''));
  const [to, from] = [query.get('To'), query.get('From')];
  const found = account.calls.filter((call) => {
    const sent = toTwilio(call, account.accountId, path);
    const isInTime = !(findStart(call) < (after ?? 0)) && !(findStart(call) >= (before ?? Number.POSITIVE_INFINITY));
    return isInTime && (to ?? sent.to) === sent.to && (from ?? sent.from) === sent.from;
  });
  const size = Math.min(Number(query.get('PageSize') ?? 50), maxPage);
  return {
    body: takeAfter(newestFirst(found, findStart), size, query.get('PageToken'), ({ page, last, hasMore }) => {
      const next = new URLSearchParams(query);
      next.set('PageToken', last);
      return {
        calls: page.map((call) => toTwilio(call, account.accountId, path)),
        ...{ page: 0, page_size: size, start: 0, end: page.length - 1, uri: path, first_page_uri: path },
        next_page_uri: hasMore ? `${path}?${next}` : path.startsWith('/2010-04-01/') ? null : undefined,
      };
    }),
  };
};

const routes: Route[] = [
  { platform: 'vapi', form: /^\/call$/, answer: listVapi },
  { platform: 'vapi', form: /^\/phone-number\/([\w-]+)$/, answer: getVapiNumber },
  { platform: 'retell', form: /^\/v3\/list-calls$/, answer: listRetell },
  { platform: 'retell', form: /^\/v2\/get-call\/([\w-]+)$/, answer: getRetell },
  { platform: 'elevenlabs', form: /^\/v1\/convai\/conversations$/, answer: listElevenLabs },
  { platform: 'elevenlabs', form: /^\/v1\/convai\/conversations\/([\w-]+)$/, answer: getElevenLabs },
  { platform: 'twilio', form: /^\/2010-04-01\/Accounts\/([\w-]+)\/Calls\.json$/, answer: listTwilio },
  { platform: 'telnyx', form: /^(?:\/v2)?\/texml\/Accounts\/([\w-]+)\/Calls(?:\.json)?$/, answer: listTwilio },
];
