import { ApiError } from '../domain/errors.ts';
import type { TokenBudget } from './chat-usage.ts';

/** The maximum output of a model call. Without a key, thirty turns fit into an address's share. */
const maxOutputTokens = { withKey: 4096, withoutKey: 2048 };
/** An estimate, on the high side for any script, for reservations and for calls whose usage is not reported. */
const bytesPerToken = 3;

/** Token usage as the model reports it. */
type ModelUsage = { inputTokens: number | undefined; outputTokens: number | undefined };

/** Counts the tokens of one turn against the day's budget: reserved before each model call, corrected at the end. */
export class TokenMeter {
  readonly #budget: Pick<TokenBudget, 'isAnonymous' | 'reserve' | 'settle'>;
  #steps = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  /** Bytes of the current model call. */
  #bytesSent = 0;
  #bytesReceived = 0;
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
    this.#bytesSent = Buffer.byteLength(instructions) + Buffer.byteLength(JSON.stringify(messages));
    const retryAfter = await this.#budget.reserve(estimateTokens(this.#bytesSent) + this.maxOutputTokens);
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
    this.#bytesReceived += Buffer.byteLength(text);
  }

  endStep({ inputTokens, outputTokens }: ModelUsage): void {
    this.#steps += 1;
    this.#inputTokens += inputTokens ?? estimateTokens(this.#bytesSent);
    this.#outputTokens += outputTokens ?? estimateTokens(this.#bytesReceived);
    this.#bytesSent = 0;
    this.#bytesReceived = 0;
    this.#isInStep = false;
  }

  /** Releases the reserved tokens that were not used. A call that was cut off counts by the length of its text. */
  async settle(): Promise<void> {
    if (this.#isInStep) this.endStep({ inputTokens: undefined, outputTokens: undefined });
    await this.#budget.settle(this.#inputTokens + this.#outputTokens);
  }
}

const estimateTokens = (bytes: number) => Math.ceil(bytes / bytesPerToken);
