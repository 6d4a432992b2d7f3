import { isIPv6 } from 'node:net';
import { environment } from '../environment.ts';
import { service } from '../service.ts';
import { chatTokensKey, chatTurnsKey } from './keys.ts';
import { type Item, refusalOf, type Table, table } from './table.ts';

const minute = 60;
const day = 24 * 60 * 60;

/** A refusal that lifts by itself. */
export type Wait = { seconds: number };

type TurnsItem = Item & { turns: number };

/** What the build chat, which anyone may call, has been used: by one address in a minute, and by all in a day. */
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
   * Counts a turn of an address, unless that would be more than it may have in any sixty seconds. Those of the minute
   * before count by how much of it lies within the last sixty seconds; of many at once, no more get through.
   */
  async countTurn(address: string): Promise<Wait | undefined> {
    const from = networkOf(address);
    const now = Date.now() / 1000;
    const current = Math.floor(now / minute);
    const passed = now - current * minute;
    const former = (await this.#table.get<TurnsItem>(chatTurnsKey(from, current - 1)))?.turns ?? 0;
    const free = this.#turnsPerMinute - former * (1 - passed / minute);
    const refusal = { seconds: Math.ceil(minute - passed) };
    if (free < 1)
      return this.#turnsPerMinute < 1 ? refusal : { seconds: secondsUntilFree(former, this.#turnsPerMinute, passed) };
    try {
      await this.#table.update(chatTurnsKey(from, current), {
        UpdateExpression: 'add turns :one set ttlSeconds = :end',
        ConditionExpression: 'attribute_not_exists(turns) or turns <= :most',
        ExpressionAttributeValues: { ':one': 1, ':most': free - 1, ':end': (current + 3) * minute },
      });
      return undefined;
    } catch (error) {
      if (refusalOf(error) === 'condition') return refusal;
      throw error;
    }
  }

  /** What one turn of a conversation spends of today's tokens. */
  spending(): Spending {
    return new Spending(this.#table, this.#tokensPerDay);
  }
}

/** The tokens of one turn: set aside before each model call, and corrected to what was spent at the end. */
export class Spending {
  readonly #table: Table;
  readonly #tokensPerDay: number;
  readonly #midnight = (Math.floor(Date.now() / 1000 / day) + 1) * day;
  readonly #key = chatTokensKey(new Date().toISOString().slice(0, 10));
  #reserved = 0;

  constructor(table: Table, tokensPerDay: number) {
    this.#table = table;
    this.#tokensPerDay = tokensPerDay;
  }

  /** Sets tokens aside; refused once the day's are spent. A turn that never ends has spent them. */
  async reserve(tokens: number): Promise<Wait | undefined> {
    const refusal = { seconds: Math.max(1, Math.ceil(this.#midnight - Date.now() / 1000)) };
    if (this.#tokensPerDay < 1) return refusal;
    try {
      await this.#table.update(this.#key, {
        UpdateExpression: 'add tokens :tokens set ttlSeconds = :end',
        ConditionExpression: 'attribute_not_exists(tokens) or tokens < :most',
        ExpressionAttributeValues: { ':tokens': tokens, ':most': this.#tokensPerDay, ':end': this.#midnight + day },
      });
      this.#reserved += tokens;
      return undefined;
    } catch (error) {
      if (refusalOf(error) === 'condition') return refusal;
      throw error;
    }
  }

  /** Corrects what was set aside to what was spent. */
  async settle(spent: number): Promise<void> {
    if (spent === this.#reserved) return;
    await this.#table.update(this.#key, {
      UpdateExpression: 'add tokens :tokens',
      ExpressionAttributeValues: { ':tokens': spent - this.#reserved },
    });
    this.#reserved = spent;
  }
}

/** When the turns of the minute before have moved out of the last sixty seconds far enough for one more. */
const secondsUntilFree = (former: number, most: number, passed: number) =>
  Math.max(1, Math.ceil(minute * (1 - (most - 1) / former) - passed));

/** One caller's network: an IPv4 address, or the 64 bits of an IPv6 one within which a caller may choose freely. */
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

export const chatUsage = service(
  () =>
    new ChatUsage(table.get(), {
      turnsPerMinute: environment.chatRatePerMinute,
      tokensPerDay: environment.chatDailyTokens,
    }),
);
