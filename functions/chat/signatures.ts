import { createHmac, timingSafeEqual } from 'node:crypto';
import { hashOfJson } from '../domain/json.ts';

/** A call of a tool, as the model made it. */
export type ToolCall = { toolCallId: string; toolName: string; input: unknown };
/** What became of it. */
export type ToolOutcome = { output: unknown } | { errorText: string };

/** An approval is good for this long: shorter than an action is remembered that was done under it. */
const approvalHours = 20;

/**
 * What this service issues in a conversation, signed for it. The client keeps the conversation and sends it back each
 * turn: a tool call, a result or an approval that another conversation, or nobody, was given does not verify.
 */
export class Signatures {
  readonly #secret: string;
  readonly #chatId: string;

  constructor(secret: string, chatId: string) {
    this.#secret = secret;
    this.#chatId = chatId;
  }

  ofCall(call: ToolCall): string {
    return this.#sign('call', ...fieldsOf(call));
  }

  ofOutcome(call: ToolCall, outcome: ToolOutcome): string {
    const said = 'output' in outcome ? ['output', hashOf(outcome.output)] : ['error', outcome.errorText];
    return this.#sign('outcome', ...fieldsOf(call), ...said);
  }

  /** Of a request for approval, put to one user; it carries when it was made. */
  ofApproval(call: ToolCall, approvalId: string, uid: string, issuedAt = Date.now()): string {
    return `${issuedAt}.${this.#sign('approval', ...fieldsOf(call), approvalId, uid, String(issuedAt))}`;
  }

  isCall(call: ToolCall, signature: string | undefined): boolean {
    return same(signature, this.ofCall(call));
  }

  isOutcome(call: ToolCall, outcome: ToolOutcome, signature: string | undefined): boolean {
    return same(signature, this.ofOutcome(call, outcome));
  }

  /** Whether this user was asked, and whether that was too long ago. */
  checkApproval(
    call: ToolCall,
    approvalId: string,
    uid: string,
    signature: string | undefined,
  ): 'good' | 'expired' | 'forged' {
    const issuedAt = Number(/^(\d{1,15})\./.exec(signature ?? '')?.[1]);
    if (!same(signature, this.ofApproval(call, approvalId, uid, issuedAt))) return 'forged';
    return Date.now() - issuedAt < approvalHours * 60 * 60 * 1000 ? 'good' : 'expired';
  }

  #sign(...fields: string[]): string {
    return createHmac('sha256', this.#secret)
      .update(JSON.stringify([this.#chatId, ...fields]))
      .digest('base64url');
  }
}

const fieldsOf = ({ toolCallId, toolName, input }: ToolCall) => [toolCallId, toolName, hashOf(input)];

/** Of a value as it comes back: through JSON, where what is undefined is not there. */
const hashOf = (value: unknown) => hashOfJson(JSON.parse(JSON.stringify(value) ?? 'null'));

const same = (given: string | undefined, right: string) =>
  given !== undefined &&
  given.length === right.length &&
  Buffer.byteLength(given) === right.length &&
  timingSafeEqual(Buffer.from(given), Buffer.from(right));
