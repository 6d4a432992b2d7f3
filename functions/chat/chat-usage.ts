import { environment } from '../environment.ts';
import { toNetwork } from '../http/address.ts';
import { service } from '../service.ts';
import { when } from '../store/expressions.ts';
import { chatAddressTokensKey, chatTokensKey, chatTurnsKey, chatUserTokensKey, type ItemKey } from '../store/keys.ts';
import { type Item, type Table, TableStore, table } from '../store/table.ts';

const minuteSeconds = 60;
const daySeconds = 24 * 60 * 60;

/** The wait before a limit allows more. */
export type RetryAfter = { seconds: number };

type TurnsItem = Item & { turns: number };

/** `userSharePercent` is the maximum share of the day's tokens that one user gets. */
export type ChatLimits = { turnsPerMinute: number; tokensPerDay: number; userSharePercent?: number };

/** The usage of the build chat, which anyone may call: turns of an address in a minute, and tokens in a day. */
export class ChatUsage extends TableStore {
  readonly #limits: ChatLimits;

  constructor(table: Table, limits: ChatLimits) {
    super(table);
    this.#limits = limits;
  }

  /** Counts a turn of an address in a window of sixty seconds, the previous minute in proportion. */
  async countTurn(address: string): Promise<RetryAfter | undefined> {
    const { turnsPerMinute } = this.#limits;
    const network = toNetwork(address);
    const now = Date.now() / 1000;
    const current = Math.floor(now / minuteSeconds);
    const elapsed = now - current * minuteSeconds;
    const previous = (await this.table.get<TurnsItem>(chatTurnsKey(network, current - 1)))?.turns ?? 0;
    const free = turnsPerMinute - previous * (1 - elapsed / minuteSeconds);
    const retryAfter = { seconds: Math.ceil(minuteSeconds - elapsed) };
    if (free < 1)
      return turnsPerMinute < 1 ? retryAfter : { seconds: secondsUntilFree(previous, turnsPerMinute, elapsed) };
    const counted = await this.table.change(
      chatTurnsKey(network, current),
      { add: { turns: 1 }, set: { ttlSeconds: (current + 3) * minuteSeconds } },
      when`attribute_not_exists(turns) or turns <= ${free - 1}`,
    );
    return counted ? undefined : retryAfter;
  }

  /** Returns today's token budget for one turn. A caller with a key is counted by user, one without by address. */
  budget(caller: TokenCaller): TokenBudget {
    const { tokensPerDay, userSharePercent = 100 } = this.#limits;
    const share = 'uid' in caller ? userSharePercent / 100 : addressShare;
    return new TokenBudget(this.table, tokensPerDay, caller, share);
  }
}

/** The consumer of tokens: the user of an API key, or an address without one. */
export type TokenCaller = { uid: string } | { address: string };

/** The shares of the day's tokens for callers without a key: of one address, and of all together. The rest is for key holders. */
const addressShare = 1 / 20;
const anonymousShare = 1 / 2;

/** Counters of an item, each with its maximum before the addition. */
type CounterLimits = { tokens: number; anonymousTokens?: number };

/** The day's tokens as one turn uses them: reserved before each model call, corrected to the actual usage at the end. */
export class TokenBudget extends TableStore {
  readonly #tokensPerDay: number;
  readonly #midnight = (Math.floor(Date.now() / 1000 / daySeconds) + 1) * daySeconds;
  readonly #dayKey: ItemKey;
  /** The item of the caller: of a user, or of an address. */
  readonly #callerKey: ItemKey;
  readonly #share: number;
  readonly isAnonymous: boolean;
  #reserved = 0;

  constructor(table: Table, tokensPerDay: number, caller: TokenCaller, share: number) {
    super(table);
    const date = new Date().toISOString().slice(0, 10);
    this.#tokensPerDay = tokensPerDay;
    this.#dayKey = chatTokensKey(date);
    this.#share = share;
    this.isAnonymous = 'address' in caller;
    this.#callerKey =
      'uid' in caller ? chatUserTokensKey(date, caller.uid) : chatAddressTokensKey(date, toNetwork(caller.address));
  }

  /** Reserves tokens, unless the day's budget or the caller's share is used up. A turn that never ends keeps its reservation. */
  async reserve(tokens: number): Promise<RetryAfter | undefined> {
    const retryAfter = { seconds: Math.max(1, Math.ceil(this.#midnight - Date.now() / 1000)) };
    const maxTokens = this.#tokensPerDay;
    if (maxTokens < 1) return retryAfter;
    // A user's last turn may exceed their share, as it may exceed the day's tokens. The last turn of a caller without a key may not.
    const maxBefore = maxTokens * this.#share - (this.isAnonymous ? tokens : 1);
    if (!(await this.#add(this.#callerKey, tokens, { tokens: maxBefore }))) return retryAfter;
    const dayLimits = {
      tokens: maxTokens - 1,
      ...(this.isAnonymous && { anonymousTokens: maxTokens * anonymousShare - tokens }),
    };
    if (await this.#add(this.#dayKey, tokens, dayLimits)) {
      this.#reserved += tokens;
      return undefined;
    }
    await this.#add(this.#callerKey, -tokens, { tokens: unlimited });
    return retryAfter;
  }

  /** Corrects the reservation to the actual usage. */
  async settle(used: number): Promise<void> {
    const tokens = used - this.#reserved;
    if (tokens === 0) return;
    this.#reserved = used;
    const dayLimits = { tokens: unlimited, ...(this.isAnonymous && { anonymousTokens: unlimited }) };
    await Promise.all([
      this.#add(this.#dayKey, tokens, dayLimits),
      this.#add(this.#callerKey, tokens, { tokens: unlimited }),
    ]);
  }

  /** Adds to the counters of an item, unless one of them exceeds its limit. */
  async #add(key: ItemKey, by: number, { tokens, anonymousTokens }: CounterLimits): Promise<boolean> {
    const isWithinLimit = when`(attribute_not_exists(#tokens) or #tokens <= ${tokens})`;
    const isAnonymous = anonymousTokens !== undefined;
    const counted = await this.table.change(
      key,
      {
        add: { tokens: by, ...(isAnonymous && { anonymousTokens: by }) },
        set: { ttlSeconds: this.#midnight + daySeconds },
      },
      isAnonymous
        ? when`${isWithinLimit} and (attribute_not_exists(anonymousTokens) or anonymousTokens <= ${anonymousTokens})`
        : isWithinLimit,
    );
    return counted !== undefined;
  }
}

const unlimited = Number.MAX_SAFE_INTEGER;

/** Returns the seconds until enough turns of the previous minute are older than sixty seconds. */
const secondsUntilFree = (previous: number, max: number, elapsed: number) =>
  Math.max(1, Math.ceil(minuteSeconds * (1 - (max - 1) / previous) - elapsed));

export const chatUsage = /* @__PURE__ */ service(
  () =>
    new ChatUsage(table.get(), {
      turnsPerMinute: environment.chatRatePerMinute,
      tokensPerDay: environment.chatDailyTokens,
      userSharePercent: environment.chatUserShare,
    }),
  { countTurn: ['dynamodb:GetItem', 'dynamodb:UpdateItem'], budget: ['dynamodb:UpdateItem'] },
);
