import { isIPv6 } from 'node:net';
import { environment } from '../environment.ts';
import { service } from '../service.ts';
import { chatAddressTokensKey, chatTokensKey, chatTurnsKey, type ItemKey } from '../store/keys.ts';
import { type Item, type Table, table } from '../store/table.ts';

const minute = 60;
const day = 24 * 60 * 60;

/** How long to wait until a limit allows more. */
export type RetryAfter = { seconds: number };

type TurnsItem = Item & { turns: number };

/** The usage of the build chat, which anyone may call: turns of an address in a minute, and tokens in a day. */
export class ChatUsage {
  readonly #table: Table;
  readonly #turnsPerMinute: number;
  readonly #tokensPerDay: number;

  constructor(table: Table, limits: { turnsPerMinute: number; tokensPerDay: number }) {
    this.#table = table;
    this.#turnsPerMinute = limits.turnsPerMinute;
    this.#tokensPerDay = limits.tokensPerDay;
  }

  /**
   * Counts a turn of an address, unless it has reached its limit for any sixty seconds. Turns of the previous minute count
   * by the part of it that lies within the last sixty seconds. The limit holds for concurrent requests too.
   */
  async countTurn(address: string): Promise<RetryAfter | undefined> {
    const network = networkOf(address);
    const now = Date.now() / 1000;
    const current = Math.floor(now / minute);
    const elapsed = now - current * minute;
    const previous = (await this.#table.get<TurnsItem>(chatTurnsKey(network, current - 1)))?.turns ?? 0;
    const free = this.#turnsPerMinute - previous * (1 - elapsed / minute);
    const retryAfter = { seconds: Math.ceil(minute - elapsed) };
    if (free < 1)
      return this.#turnsPerMinute < 1
        ? retryAfter
        : { seconds: secondsUntilFree(previous, this.#turnsPerMinute, elapsed) };
    const counted = await this.#table.change(
      chatTurnsKey(network, current),
      { add: { turns: 1 }, set: { ttlSeconds: (current + 3) * minute } },
      { expression: 'attribute_not_exists(turns) or turns <= :max', values: { max: free - 1 } },
    );
    return counted ? undefined : retryAfter;
  }

  /** Today's token budget for one turn. A caller without a key is counted by their address. */
  budget(caller: TokenCaller): TokenBudget {
    return new TokenBudget(this.#table, this.#tokensPerDay, caller);
  }
}

/** Who uses tokens: the holder of an API key, or an address without one. */
export type TokenCaller = { hasKey: true } | { hasKey: false; address: string };

/** The shares of the day's tokens for callers without a key: of one address, and of all together. The rest is for key holders. */
const addressShare = 1 / 20;
const anonymousShare = 1 / 2;

/** Counters of an item, with the most that each may have before more is added. */
type CounterLimits = { tokens: number; anonymousTokens?: number };

/** The day's tokens as one turn uses them: reserved before each model call, corrected to the actual usage at the end. */
export class TokenBudget {
  readonly #table: Table;
  readonly #tokensPerDay: number;
  readonly #midnight = (Math.floor(Date.now() / 1000 / day) + 1) * day;
  readonly #dayKey: ItemKey;
  /** The item of the caller's address; a key holder has none. */
  readonly #addressKey: ItemKey | undefined;
  #reserved = 0;

  constructor(table: Table, tokensPerDay: number, caller: TokenCaller) {
    const date = new Date().toISOString().slice(0, 10);
    this.#table = table;
    this.#tokensPerDay = tokensPerDay;
    this.#dayKey = chatTokensKey(date);
    this.#addressKey = caller.hasKey ? undefined : chatAddressTokensKey(date, networkOf(caller.address));
  }

  get isAnonymous(): boolean {
    return this.#addressKey !== undefined;
  }

  /** Reserves tokens, unless the day's or the caller's share are used up. A turn that never ends has used what it reserved. */
  async reserve(tokens: number): Promise<RetryAfter | undefined> {
    const retryAfter = { seconds: Math.max(1, Math.ceil(this.#midnight - Date.now() / 1000)) };
    const maxTokens = this.#tokensPerDay;
    if (maxTokens < 1) return retryAfter;
    const ofAddress = { tokens: maxTokens * addressShare - tokens };
    if (this.#addressKey && !(await this.#add(this.#addressKey, tokens, ofAddress))) return retryAfter;
    const ofDay = {
      tokens: maxTokens - 1,
      ...(this.#addressKey && { anonymousTokens: maxTokens * anonymousShare - tokens }),
    };
    if (await this.#add(this.#dayKey, tokens, ofDay)) {
      this.#reserved += tokens;
      return undefined;
    }
    if (this.#addressKey) await this.#add(this.#addressKey, -tokens, { tokens: unlimited });
    return retryAfter;
  }

  /** Corrects the reservation to the actual usage. */
  async settle(used: number): Promise<void> {
    const tokens = used - this.#reserved;
    if (tokens === 0) return;
    this.#reserved = used;
    const ofDay = { tokens: unlimited, ...(this.#addressKey && { anonymousTokens: unlimited }) };
    await Promise.all([
      this.#add(this.#dayKey, tokens, ofDay),
      this.#addressKey && this.#add(this.#addressKey, tokens, { tokens: unlimited }),
    ]);
  }

  /** Adds to the counters of an item, unless one of them has more than its limit. */
  async #add(key: ItemKey, tokens: number, limits: CounterLimits): Promise<boolean> {
    const counters = Object.entries(limits);
    const counted = await this.#table.change(
      key,
      {
        add: Object.fromEntries(counters.map(([name]) => [name, tokens])),
        set: { ttlSeconds: this.#midnight + day },
      },
      {
        expression: counters
          .map(([name]) => `(attribute_not_exists(#${name}) or #${name} <= :max_${name})`)
          .join(' and '),
        values: Object.fromEntries(counters.map(([name, max]) => [`max_${name}`, max])),
      },
    );
    return counted !== undefined;
  }
}

const unlimited = Number.MAX_SAFE_INTEGER;

/** Seconds until enough turns of the previous minute are older than sixty seconds. */
const secondsUntilFree = (previous: number, max: number, elapsed: number) =>
  Math.max(1, Math.ceil(minute * (1 - (max - 1) / previous) - elapsed));

/** The network of one caller: an IPv4 address, or the /64 of an IPv6 address, within which a caller can choose freely. */
const networkOf = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return mapped[1] as string;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%')[0] as string).split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = tail === undefined ? first : [...first, ...Array(8 - first.length - last.length).fill('0'), ...last];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
};

export const chatUsage = /* @__PURE__ */ service(
  () =>
    new ChatUsage(table.get(), {
      turnsPerMinute: environment.chatRatePerMinute,
      tokensPerDay: environment.chatDailyTokens,
    }),
  { countTurn: ['dynamodb:GetItem', 'dynamodb:UpdateItem'], budget: ['dynamodb:UpdateItem'] },
);
