import { createHash, randomBytes, randomInt } from 'node:crypto';
import { type SentHook, signers } from './hook-signers.ts';
import { isForm, publicUrl } from './signed-hooks.ts';
import { caller, own } from './voice-platforms.ts';

const pick = <T>(items: readonly T[]): T => items[randomInt(items.length)] as T;
const flag = () => randomInt(2) === 1;

/** A text with characters that have several spellings in forms, addresses and JSON. */
const randomText = () =>
  Array.from({ length: randomInt(1, 12) }, () => pick([...'ab9 +%&=?/\'"~*(){}[]|:;,é😀Ω\\-_.'])).join('');

/** A query value, percent-encoded in one of the valid ways. */
const encoded = (value: string) =>
  pick([
    encodeURIComponent,
    (text: string) => new URLSearchParams({ text }).toString().slice(5),
    (text: string) => encodeURIComponent(text).replaceAll(/%(3A|2F|2C|40|24)/g, (one) => decodeURIComponent(one)),
    (text: string) => encodeURIComponent(text).replaceAll(/%[0-9A-F]{2}/g, (one) => one.toLowerCase()),
  ])(value);

/** The event of a platform about an inbound call, with additional fields of any content. */
const randomBody = (platform: string): Record<string, unknown> => {
  const more = Object.fromEntries(
    Array.from({ length: randomInt(4) }, (_, n) => [`x${n}${pick(['a', ' b', 'é'])}`, randomText()]),
  );
  const callId = randomBytes(8).toString('hex');
  switch (platform) {
    case 'vapi': {
      const call = { id: callId, customer: { number: caller } };
      return { message: { type: 'assistant-request', call, phoneNumber: { number: own }, ...more } };
    }
    case 'retell':
      return { event: 'call_inbound', call_inbound: { from_number: caller, to_number: own, ...more } };
    case 'elevenlabs':
      return { caller_id: caller, called_number: own, call_sid: callId, ...more };
    default:
      return { CallSid: `CA${callId}`, CallStatus: 'ringing', Direction: 'inbound', From: caller, To: own, ...more };
  }
};

export type HookUser = { uid: string; agentId: string; secret: string };

/** The headers of a signed request: by the functions of these tests, or by a vendor's package. */
export type Sign = (
  sent: Omit<SentHook, 'headers'>,
  secret: string,
  at: number,
) => SentHook['headers'] | Promise<SentHook['headers']>;

/** A request as a platform makes it, at an accepted time. */
export const genuineHook = async (
  platform: string,
  user: HookUser,
  sign: Sign = signers[platform] as Sign,
): Promise<SentHook> => {
  const json = JSON.stringify(randomBody(platform), null, flag() ? 2 : undefined);
  const isJson = !isForm(platform) || flag();
  const body = isJson ? json : new URLSearchParams(randomBody(platform) as Record<string, string>).toString();
  const query = [
    ['uid', user.uid],
    ['agentId', user.agentId],
    ['next', `https://voice.example.com/${randomText()}`],
    ['assistantId', randomText()],
    ...(flag() ? [['unsure', 'accept']] : []),
    ...(platform === 'twilio' && isJson ? [['bodySHA256', createHash('sha256').update(body).digest('hex')]] : []),
  ] as [string, string][];
  const shuffled = query.sort(() => randomInt(3) - 1);
  const address = `${publicUrl}/hooks/${platform}?${shuffled.map(([name, value]) => `${name}=${encoded(value)}`).join('&')}`;
  const at = Date.now() + randomInt(-280_000, 280_000);
  return { address, body, headers: await sign({ address, body }, user.secret, at) };
};

/** A change that invalidates the signature of the request; undefined where it cannot be made. */
type Mutation = (
  sent: SentHook,
  platform: string,
  users: { user: HookUser; other: HookUser },
) => SentHook | undefined | Promise<SentHook | undefined>;

const listFields = (form: string) => JSON.stringify([...new URLSearchParams(form)].sort());

/** Changes, inserts or removes a byte. */
const changeByte = (text: string): string => {
  const bytes = [...Buffer.from(text)];
  const place = randomInt(bytes.length);
  const kind = randomInt(3);
  bytes.splice(place, kind === 1 ? 0 : 1, ...(kind === 2 ? [] : [randomInt(32, 127)]));
  return Buffer.from(bytes).toString();
};

const signed = (sent: SentHook, platform: string, secret: string, at?: number): SentHook => ({
  ...sent,
  headers: signers[platform]?.(sent, secret, at) ?? {},
});

const mutateQuery = (sent: SentHook, mutate: (query: string) => string): SentHook | undefined => {
  const [path, query = ''] = sent.address.split('?');
  const mutated = mutate(query);
  return mutated === query ? undefined : { ...sent, address: `${path}?${mutated}` };
};

export const mutations: Record<string, Mutation> = {
  'a byte of the body': (sent, platform) => {
    const body = changeByte(sent.body);
    // Twilio signs the fields of a form, regardless of their spelling.
    const isSame = platform === 'twilio' && !sent.body.startsWith('{') && listFields(body) === listFields(sent.body);
    return body === sent.body || isSame ? undefined : { ...sent, body };
  },
  'the body in another spelling': (sent) => {
    if (!sent.body.startsWith('{')) return undefined;
    const body = JSON.stringify(JSON.parse(sent.body), null, 1);
    return { ...sent, body };
  },
  'a field twice': (sent) => {
    const [first = ''] = sent.body.split('&');
    const body = sent.body.startsWith('{')
      ? sent.body.replace(/\{/, '{"event":"call_inbound",')
      : `${sent.body}&${first}`;
    return { ...sent, body };
  },
  'the order of the query': (sent, platform) =>
    platform === 'twilio' ? mutateQuery(sent, (query) => query.split('&').reverse().join('&')) : undefined,
  'the spelling of the query': (sent, platform) =>
    platform === 'twilio'
      ? mutateQuery(
          sent,
          pick([
            (query: string) => query.replaceAll('+', '%20'),
            (query: string) => query.replaceAll('%20', '+'),
            (query: string) =>
              query.replaceAll(/%[0-9A-Fa-f]{2}/g, (one) =>
                one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase(),
              ),
            (query: string) => `${query}&`,
            (query: string) => query.replaceAll('%3A', ':'),
          ]),
        )
      : undefined,
  'a parameter more or less': (sent, platform) =>
    platform === 'twilio'
      ? mutateQuery(
          sent,
          pick([
            (query: string) => `${query}&unsure=accept&x=1`,
            (query: string) => query.replace(/&?assistantId=[^&]*/, ''),
            (query: string) => query.replace(/next=/, 'next=https%3A%2F%2Fother.example.com%2F&next='),
          ]),
        )
      : undefined,
  'another host': (sent, platform, { user }) => {
    if (platform !== 'twilio') return undefined;
    const address = sent.address.replace(/(?<=\/\/)[^/]+/, pick(['hooks.example.com', 'localhost', '127.0.0.1:1']));
    return {
      ...sent,
      headers: { ...signers.twilio?.({ ...sent, address }, user.secret), 'x-forwarded-host': new URL(address).host },
    };
  },
  'another scheme': (sent, platform, { user }) => {
    if (platform !== 'twilio') return undefined;
    const address = sent.address.replace(/^https?/, (scheme) => (scheme === 'http' ? 'https' : 'http'));
    return { ...sent, headers: signers.twilio?.({ ...sent, address }, user.secret) ?? {} };
  },
  'an old time': (sent, platform, { user }) =>
    platform === 'twilio'
      ? undefined
      : signed(sent, platform, user.secret, Date.now() - randomInt(301_000, 10_000_000)),
  'a time of the future': (sent, platform, { user }) =>
    platform === 'twilio'
      ? undefined
      : signed(sent, platform, user.secret, Date.now() + randomInt(302_000, 10_000_000)),
  'another time': (sent, platform) => {
    if (platform === 'twilio') return undefined;
    const headers = Object.fromEntries(
      Object.entries(sent.headers).map(([name, value]) => [
        name,
        value.replace(/\d{10,13}/, (time) => String(Number(time) + 1)),
      ]),
    );
    return JSON.stringify(headers) === JSON.stringify(sent.headers) ? undefined : { ...sent, headers };
  },
  'no time': (sent, platform) => {
    if (platform !== 'vapi') return undefined;
    const { 'x-timestamp': time, ...headers } = sent.headers;
    return { ...sent, headers, ...(flag() && { body: `${time}.${sent.body}` }) };
  },
  "another user's secret": (sent, platform, { other }) => signed(sent, platform, other.secret),
  'another user': (sent, _, { user, other }) => ({ ...sent, address: sent.address.replace(user.uid, other.uid) }),
  'no signature': (sent) => ({ ...sent, headers: {} }),
  'an empty signature': (sent) => ({
    ...sent,
    headers: Object.fromEntries(Object.keys(sent.headers).map((name) => [name, ''])),
  }),
  'another signature': (sent) => {
    const [name = '', value = ''] = Object.entries(sent.headers)[0] ?? [];
    const place = randomInt(Math.max(0, value.length - 30), value.length - 3);
    const changed = value.slice(0, place) + (value[place] === '0' ? '1' : '0') + value.slice(place + 1);
    return { ...sent, headers: { ...sent.headers, [name]: changed } };
  },
  'the signature of another request': async (sent, platform, { user }) => {
    const { body, headers } = await genuineHook(platform, user);
    return body === sent.body ? undefined : { ...sent, headers };
  },
};

/** Returns a request that differs from the signed one, and the change. */
export const mutatedHook = async (
  platform: string,
  users: { user: HookUser; other: HookUser },
): Promise<{ what: string; sent: SentHook }> => {
  for (;;) {
    const what = pick(Object.keys(mutations));
    const sent = await mutations[what]?.(await genuineHook(platform, users.user), platform, users);
    if (sent) return { what, sent };
  }
};
