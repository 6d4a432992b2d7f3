import {
  convertToModelMessages,
  isStepCount,
  type LanguageModel,
  // It has one reader and keeps no copy of the answer. `streamText`, its stable form, also works here.
  experimental_streamTextLowMemory as streamText,
  type TextStreamPart,
  type ToolSet,
  toUIMessageChunk,
  type UIMessageChunk,
} from 'ai';
import type { ToolName } from '../domain/chat.ts';
import { limits } from '../domain/limits.ts';
import type { History } from './history.ts';
import type { Signatures, ToolCall, ToolOutcome } from './signatures.ts';
import type { TokenMeter } from './token-meter.ts';
import type { ChatTools } from './tools.ts';

const toolConcurrency = 4;

export type TurnOptions = {
  model: LanguageModel;
  instructions: string;
  history: History;
  tools: ChatTools;
  signatures: Signatures;
  uid: string | undefined;
  meter: TokenMeter;
};

/** One turn of a conversation: the model's texts and tool calls, until the user is next. */
export class Turn {
  readonly #options: TurnOptions;
  /** The tool calls of this turn, and those of the turn before that the user has answered. */
  readonly #calls = new Map<string, ToolCall>();
  /** Calls whose outcome is not sent: calls of unknown tools, and calls whose error was sent with the call. */
  readonly #suppressedCalls = new Set<string>();
  readonly #toolsUsed: string[] = [];
  #finishReason: string | undefined;

  constructor(options: TurnOptions) {
    this.#options = options;
    for (const call of options.history.approvals) this.#calls.set(call.toolCallId, call);
  }

  /** Token usage, tools and finish reason, for the log. */
  get usage() {
    return { finishReason: this.#finishReason, tools: this.#toolsUsed, ...this.#options.meter.usage };
  }

  async start(signal: AbortSignal): Promise<AsyncIterable<TextStreamPart<ToolSet>>> {
    const { model, instructions, history, tools, meter } = this.#options;
    const { stream } = streamText({
      model,
      instructions,
      messages: await convertToModelMessages(history.messages, { tools: tools.tools }),
      tools: tools.tools,
      toolApproval: tools.toolApproval,
      toolCallConcurrency: toolConcurrency,
      stopWhen: [isStepCount(limits.chatSteps), () => tools.isOver()],
      maxOutputTokens: meter.maxOutputTokens,
      abortSignal: signal,
      prepareStep: async ({ stepNumber, messages }) => {
        // The first call's tokens are reserved before the response begins.
        if (stepNumber > 0) await meter.reserve(instructions, messages);
        return undefined;
      },
      onStepEnd: ({ usage }) => meter.endStep(usage),
      // Errors arrive as parts of the stream.
      onError: () => {},
    });
    return stream;
  }

  /** Returns the chunk that the client receives for a part: without the provider's metadata, and signed if the client sends it back. */
  toChunk(part: TextStreamPart<ToolSet>): UIMessageChunk | undefined {
    const { meter } = this.#options;
    switch (part.type) {
      case 'text-delta':
        meter.receive(part.text);
        return { type: 'text-delta', id: part.id, delta: part.text };
      case 'text-start':
      case 'text-end':
        return { type: part.type, id: part.id };
      case 'reasoning-delta':
        meter.receive(part.text);
        return undefined;
      case 'tool-input-start':
        if (!this.#isOffered(part.toolName)) this.#suppressedCalls.add(part.id);
        return this.#suppressedCalls.has(part.id) ? undefined : toUIMessageChunk(part);
      case 'tool-input-delta':
        meter.receive(part.delta);
        return this.#suppressedCalls.has(part.id) ? undefined : toUIMessageChunk(part);
      case 'tool-call':
        return this.#callChunk(part);
      case 'tool-approval-request':
        return this.#approvalChunk(part);
      case 'tool-result':
        return this.#outcomeChunk(part.toolCallId, { output: part.output ?? null });
      case 'tool-error':
        return this.#outcomeChunk(part.toolCallId, { errorText: errorMessage(part.error) });
      case 'finish':
        this.#finishReason = part.finishReason;
        return { type: 'finish', finishReason: part.finishReason };
      case 'error':
        throw part.error;
      case 'start-step':
        meter.startStep();
        return { type: 'start-step' };
      case 'finish-step':
        // A provider's stream that was cut between two events looks complete, but has no finish reason.
        if (part.finishReason === 'other' && part.rawFinishReason === undefined) throw new StreamInterruptedError();
        return { type: 'finish-step' };
      case 'start':
      case 'tool-output-denied':
        return toUIMessageChunk(part);
      default:
        return undefined;
    }
  }

  #callChunk(part: Extract<TextStreamPart<ToolSet>, { type: 'tool-call' }>): UIMessageChunk | undefined {
    const { signatures } = this.#options;
    const { toolCallId, toolName, input } = part;
    this.#toolsUsed.push(toolName);
    if (!this.#isOffered(toolName)) {
      this.#suppressedCalls.add(toolCallId);
      return undefined;
    }
    const call: ToolCall = { toolCallId, toolName: toolName as ToolName, input };
    this.#calls.set(toolCallId, call);
    if (!part.invalid) {
      const providerMetadata = toMetadata(signatures.ofCall(call));
      return { type: 'tool-input-available', toolCallId, toolName, input, providerMetadata };
    }
    this.#suppressedCalls.add(toolCallId);
    const errorText = errorMessage(part.error);
    const providerMetadata = toMetadata(signatures.ofOutcome(call, { errorText }));
    return { type: 'tool-input-error', toolCallId, toolName, input, errorText, providerMetadata };
  }

  #approvalChunk(part: Extract<TextStreamPart<ToolSet>, { type: 'tool-approval-request' }>): UIMessageChunk {
    const { signatures, uid } = this.#options;
    const { toolCallId } = part.toolCall;
    const { approvalId } = part;
    const signature = signatures.ofApproval(this.#calls.get(toolCallId) as ToolCall, approvalId, uid);
    return { type: 'tool-approval-request', approvalId, toolCallId, signature };
  }

  #outcomeChunk(toolCallId: string, outcome: ToolOutcome): UIMessageChunk | undefined {
    const { signatures, history } = this.#options;
    const call = this.#calls.get(toolCallId);
    if (!call || this.#suppressedCalls.delete(toolCallId)) return undefined;
    // An approved call was made in the turn before, and is run in this one.
    if (history.approvals.some((approval) => approval.toolCallId === toolCallId)) this.#toolsUsed.push(call.toolName);
    const providerMetadata = toMetadata(signatures.ofOutcome(call, outcome));
    return 'output' in outcome
      ? { type: 'tool-output-available', toolCallId, output: outcome.output, providerMetadata }
      : { type: 'tool-output-error', toolCallId, errorText: outcome.errorText, providerMetadata };
  }

  #isOffered(toolName: string): boolean {
    return Object.hasOwn(this.#options.tools.tools, toolName);
  }
}

class StreamInterruptedError extends Error {
  override readonly name = 'StreamInterruptedError';
}

const toMetadata = (signature: string) => ({ voiceAgentPlatform: { signature } });

const errorMessage = (error: unknown) => (error instanceof Error ? error.message : String(error));
