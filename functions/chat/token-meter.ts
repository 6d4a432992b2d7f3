import { ApiError } from '../domain/errors.ts';
import type { TokenBudget } from './chat-usage.ts';

/**
 * The maximum output of one model call, which is reserved with the input. Without a key it is lower, so that thirty turns
 * per minute from one address fit into its share.
 */
const maxOutputTokens = { withKey: 4096, withoutKey: 2048 };
/** An estimate, for a model that does not report its usage. */
const unitsPerToken = 4;

/** Token usage as the model reports it. */
type ModelUsage = { inputTokens: number | undefined; outputTokens: number | undefined };

/** Counts the tokens of one turn against the day's budget: reserved before each model call, corrected at the end. */
export class TokenMeter {
  readonly #budget: Pick<TokenBudget, 'isAnonymous' | 'reserve' | 'settle'>;
  #steps = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  /** UTF-16 units of the current model call. */
  #unitsSent = 0;
  #unitsReceived = 0;
  #isInStep = false;

  constructor(budget: Pick<TokenBudget, 'isAnonymous' | 'reserve' | 'settle'>) {
    this.#budget = budget;
  }

  get usage() {
    return { steps: this.#steps, inputTokens: this.#inputTokens, outputTokens: this.#outputTokens };
  }

  get maxOutputTokens(): number {
    return this.#budget.isAnonymous ? maxOutputTokens.withoutKey : maxOutputTokens.withKey;
  }

  /** Reserves the tokens of the next model call. Throws when the budget is exhausted. */
  async reserve(instructions: string, messages: unknown[]): Promise<void> {
    this.#unitsSent = instructions.length + JSON.stringify(messages).length;
    const retryAfter = await this.#budget.reserve(tokensIn(this.#unitsSent) + this.maxOutputTokens);
    if (!retryAfter) return;
    throw new ApiError(
      'chat_budget_exhausted',
      this.#budget.isAnonymous
        ? 'Today’s usage limit without an API key has been reached. Send an API key, or try again tomorrow.'
        : 'Today’s usage limit has been reached. Try again tomorrow.',
      { retryAfterSeconds: retryAfter.seconds },
    );
  }

  startStep(): void {
    this.#isInStep = true;
  }

  receive(text: string): void {
    this.#unitsReceived += text.length;
  }

  endStep({ inputTokens, outputTokens }: ModelUsage): void {
    this.#steps += 1;
    this.#inputTokens += inputTokens ?? tokensIn(this.#unitsSent);
    this.#outputTokens += outputTokens ?? tokensIn(this.#unitsReceived);
    this.#unitsSent = 0;
    this.#unitsReceived = 0;
    this.#isInStep = false;
  }

  /** Releases the reserved tokens that were not used. A call that was cut off counts by the length of its text. */
  async settle(): Promise<void> {
    if (this.#isInStep) this.endStep({ inputTokens: undefined, outputTokens: undefined });
    await this.#budget.settle(this.#inputTokens + this.#outputTokens);
  }
}

const tokensIn = (units: number) => Math.ceil(units / unitsPerToken);
