import {
  convertToModelMessages,
  isStepCount,
  type LanguageModel,
  type ModelMessage,
  experimental_streamTextLowMemory as streamText,
  type TextStreamPart,
  type ToolSet,
  toUIMessageChunk,
  type UIMessageChunk,
} from 'ai';
import type { ToolName } from '../domain/chat.ts';
import { ApiError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { Spending, Wait } from '../store/chat-usage.ts';
import type { History } from './history.ts';
import type { Signatures, ToolCall } from './signatures.ts';
import type { OfferedTools } from './tools.ts';

/** What one model call may write. */
const outputTokens = 4096;
/** Of a model that does not say what it read and wrote, this is believed. */
const unitsPerToken = 4;
const toolsAtOnce = 4;

export type TurnOptions = {
  model: LanguageModel;
  instructions: string;
  history: History;
  offered: OfferedTools;
  signatures: Signatures;
  uid: string;
  spending: Spending;
};

/** One turn of a conversation: what the model says and does until it is the user's turn again, and what that takes. */
export class Turn {
  readonly #options: TurnOptions;
  /** The calls of this turn, and those it begins with because the user has approved them. */
  readonly #calls = new Map<string, ToolCall>();
  /** Calls whose tool there is not, or whose failure was told with the call. */
  readonly #untold = new Set<string>();
  readonly #used: string[] = [];
  #inputTokens = 0;
  #outputTokens = 0;
  #steps = 0;
  /** Of the model call under way: what was sent, and what has come back so far. */
  #unitsSent = 0;
  #unitsReceived = 0;
  #isAnswering = false;
  #finishReason: string | undefined;

  constructor(options: TurnOptions) {
    this.#options = options;
    for (const call of options.history.answered) this.#calls.set(call.toolCallId, call);
  }

  /** Asks whether there are tokens for the first model call. */
  async prepare(): Promise<void> {
    const { history, instructions } = this.#options;
    this.#unitsSent = instructions.length + JSON.stringify(history.messages).length;
    await this.#reserve();
  }

  /** What was used and how it ended, for the log. */
  get account() {
    return {
      finishReason: this.#finishReason,
      steps: this.#steps,
      tools: this.#used,
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
    };
  }

  /** Gives back the tokens that were set aside and not spent. */
  async settle(): Promise<void> {
    // A call that was cut off has cost what it read and had written, though nobody says how much that was.
    if (this.#isAnswering) this.#countStep(undefined, undefined);
    await this.#options.spending.settle(this.#inputTokens + this.#outputTokens);
  }

  async start(signal: AbortSignal): Promise<AsyncIterable<TextStreamPart<ToolSet>>> {
    const { model, instructions, history, offered } = this.#options;
    const { tools } = offered;
    const { stream } = streamText({
      model,
      instructions,
      messages: await convertToModelMessages(history.messages, { tools }),
      tools,
      toolApproval: offered.approvals,
      toolCallConcurrency: toolsAtOnce,
      stopWhen: isStepCount(limits.chatSteps),
      maxOutputTokens: outputTokens,
      abortSignal: signal,
      prepareStep: async ({ stepNumber, messages }) => {
        if (stepNumber > 0) await this.#beginStep(messages);
        return undefined;
      },
      onStepEnd: ({ usage }) => this.#countStep(usage.inputTokens, usage.outputTokens),
      // Errors come as parts of the stream.
      onError: () => {},
    });
    return stream;
  }

  /** What the client is told of a part. Metadata of the provider stays here, and what is to come back is signed. */
  translate(part: TextStreamPart<ToolSet>): UIMessageChunk | undefined {
    switch (part.type) {
      case 'text-delta':
        this.#unitsReceived += part.text.length;
        return { type: 'text-delta', id: part.id, delta: part.text };
      case 'text-start':
      case 'text-end':
        return { type: part.type, id: part.id };
      case 'reasoning-delta':
        this.#unitsReceived += part.text.length;
        return undefined;
      case 'tool-input-start':
        if (!Object.hasOwn(this.#options.offered.tools, part.toolName)) this.#untold.add(part.id);
        return this.#untold.has(part.id) ? undefined : toUIMessageChunk(part);
      case 'tool-input-delta':
        this.#unitsReceived += part.delta.length;
        return this.#untold.has(part.id) ? undefined : toUIMessageChunk(part);
      case 'tool-call':
        return this.#translateCall(part);
      case 'tool-approval-request': {
        const call = this.#calls.get(part.toolCall.toolCallId) as ToolCall;
        const signature = this.#options.signatures.ofApproval(call, part.approvalId, this.#options.uid);
        return { type: 'tool-approval-request', approvalId: part.approvalId, toolCallId: call.toolCallId, signature };
      }
      case 'tool-result':
        return this.#translateOutcome(part.toolCallId, { output: part.output ?? null });
      case 'tool-error':
        return this.#translateOutcome(part.toolCallId, { errorText: messageOf(part.error) });
      case 'finish':
        this.#finishReason = part.finishReason;
        return { type: 'finish', finishReason: part.finishReason };
      case 'error':
        throw part.error;
      case 'start-step':
        this.#isAnswering = true;
        return { type: 'start-step' };
      case 'finish-step':
        // A provider's stream that ends between two events looks complete, but for the reason that it does not give.
        if (part.finishReason === 'other' && part.rawFinishReason === undefined) throw new StreamInterruptedError();
        return { type: 'finish-step' };
      case 'start':
      case 'tool-output-denied':
        return toUIMessageChunk(part);
      default:
        return undefined;
    }
  }

  #translateCall(part: Extract<TextStreamPart<ToolSet>, { type: 'tool-call' }>): UIMessageChunk | undefined {
    const { toolCallId, toolName, input } = part;
    this.#used.push(toolName);
    if (!Object.hasOwn(this.#options.offered.tools, toolName)) {
      this.#untold.add(toolCallId);
      return undefined;
    }
    const call: ToolCall = { toolCallId, toolName: toolName as ToolName, input };
    this.#calls.set(toolCallId, call);
    if (!part.invalid) {
      const providerMetadata = signed(this.#options.signatures.ofCall(call));
      return { type: 'tool-input-available', toolCallId, toolName, input, providerMetadata };
    }
    this.#untold.add(toolCallId);
    const errorText = messageOf(part.error);
    const providerMetadata = signed(this.#options.signatures.ofOutcome(call, { errorText }));
    return { type: 'tool-input-error', toolCallId, toolName, input, errorText, providerMetadata };
  }

  #translateOutcome(
    toolCallId: string,
    outcome: { output: unknown } | { errorText: string },
  ): UIMessageChunk | undefined {
    const call = this.#calls.get(toolCallId);
    if (!call || this.#untold.delete(toolCallId)) return undefined;
    // What was called in an earlier turn is done in this one, now that it is approved.
    if (this.#options.history.answered.some((one) => one.toolCallId === toolCallId)) this.#used.push(call.toolName);
    const providerMetadata = signed(this.#options.signatures.ofOutcome(call, outcome));
    return 'output' in outcome
      ? { type: 'tool-output-available', toolCallId, output: outcome.output, providerMetadata }
      : { type: 'tool-output-error', toolCallId, errorText: outcome.errorText, providerMetadata };
  }

  async #beginStep(messages: ModelMessage[]): Promise<void> {
    this.#unitsSent = this.#options.instructions.length + JSON.stringify(messages).length;
    await this.#reserve();
  }

  async #reserve(): Promise<void> {
    const refusal = await this.#options.spending.reserve(tokensIn(this.#unitsSent) + outputTokens);
    if (refusal) throw exhausted(refusal);
  }

  #countStep(inputTokens: number | undefined, outputTokens: number | undefined): void {
    this.#steps += 1;
    this.#inputTokens += inputTokens ?? tokensIn(this.#unitsSent);
    this.#outputTokens += outputTokens ?? tokensIn(this.#unitsReceived);
    this.#unitsSent = 0;
    this.#unitsReceived = 0;
    this.#isAnswering = false;
  }
}

class StreamInterruptedError extends Error {
  override readonly name = 'BrokeOff';
}

const exhausted = ({ seconds }: Wait) =>
  new ApiError('chat_budget_exhausted', 'The assistant has answered as much as it may today. Come back tomorrow.', {
    retryAfterSeconds: seconds,
  });

const signed = (signature: string) => ({ voiceAgentPlatform: { signature } });

const tokensIn = (units: number) => Math.ceil(units / unitsPerToken);

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
