import { attemptWindowMilliseconds, type CallingRules } from '../domain/calling-rules.ts';
import { chooseForm } from '../domain/number-forms.ts';
import { service } from '../service.ts';
import { isAbsent, when } from '../store/expressions.ts';
import { callAttemptCollection, callAttemptsKey } from '../store/keys.ts';
import { type Item, TableStore, table } from '../store/table.ts';

/** An attempt to call a number, in Unix milliseconds. */
export type Attempt = { callId: string; at: number };

/** The attempts to call a number for an agent. `revision` changes with each one that is counted. */
export type CountedAttempts = { attempts: Attempt[]; revision: number };

type AttemptsItem = Item & CountedAttempts & { ttlSeconds: number };

export const noAttempts: CountedAttempts = { attempts: [], revision: 0 };

/** Returns the attempts in an item; none when there is no item. */
export const readAttempts = (item: Item | undefined): CountedAttempts => {
  const { attempts, revision } = (item ?? noAttempts) as AttemptsItem;
  return { attempts, revision };
};

/** Returns the attempts that were made up to a moment. */
export const attemptsUntil = ({ attempts, revision }: CountedAttempts, moment: number): CountedAttempts => ({
  attempts: attempts.filter(({ at }) => at <= moment),
  revision,
});

/** Attempts of outbound calls, one item for each agent and number. They expire after the longest period of the agent's rules. */
export class CallAttempts extends TableStore {
  async find(agentId: string, number: string): Promise<CountedAttempts> {
    return readAttempts(await this.table.get(callAttemptsKey(agentId, number)));
  }

  /** Returns the attempts to call several numbers, by the `chooseForm` of a number. A number that was never called is absent. */
  async findMany(agentId: string, numbers: string[]): Promise<Map<string, CountedAttempts>> {
    const forms = [...new Set(numbers.map(chooseForm))];
    const items = await this.table.getMany(forms.map((form) => callAttemptsKey(agentId, form)));
    return new Map(items.map((item) => [item.sk, readAttempts(item)]));
  }

  /** Counts an attempt. The write fails if another attempt was counted since `attempts` were read. */
  async add(
    agentId: string,
    number: string,
    attempt: Attempt,
    { attempts, revision }: CountedAttempts,
    rules: CallingRules,
  ): Promise<void> {
    const window = attemptWindowMilliseconds(rules);
    const item: AttemptsItem = {
      ...callAttemptsKey(agentId, number),
      attempts: [...attempts.filter(({ at }) => at > attempt.at - window), attempt],
      revision: revision + 1,
      ttlSeconds: Math.ceil((attempt.at + window) / 1000),
    };
    const isUnchanged = revision === 0 ? isAbsent : when`revision = ${revision}`;
    await this.table.transact([this.table.putAction(item, isUnchanged)]);
  }

  /** Deletes the attempts to call a number for several agents. */
  async erase(agentIds: string[], number: string): Promise<void> {
    await this.table.deleteMany(agentIds.map((agentId) => callAttemptsKey(agentId, number)));
  }

  /** Deletes all attempts of an agent until a time (Unix milliseconds). Returns true if none is left. */
  removeAll(agentId: string, until: number): Promise<boolean> {
    return this.table.deleteAll(callAttemptCollection(agentId), until);
  }
}

export const callAttempts = /* @__PURE__ */ service(() => new CallAttempts(table.get()), {
  find: ['dynamodb:GetItem'],
  findMany: ['dynamodb:BatchGetItem'],
  add: ['dynamodb:PutItem'],
  erase: ['dynamodb:BatchWriteItem'],
  removeAll: ['dynamodb:BatchWriteItem', 'dynamodb:Query'],
});
