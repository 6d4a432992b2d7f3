import { createHmac } from 'node:crypto';
import { hashOfJson } from '../domain/json.ts';
import { isSameSecret } from '../domain/same-secret.ts';

/** A tool call as the model made it. */
export type ToolCall = { toolCallId: string; toolName: string; input: unknown };
/** The result of a tool call. */
export type ToolOutcome = { output: unknown } | { errorText: string };

/** The validity of an approval. An Idempotency-Key is kept for longer, so that an approved action never runs twice. */
const approvalHours = 20;

/** Signs what a conversation issues: what a client changed, or took from elsewhere, does not verify. */
export class Signatures {
  readonly #secret: string;
  readonly #chatId: string;

  constructor(secret: string, chatId: string) {
    this.#secret = secret;
    this.#chatId = chatId;
  }

  ofCall(call: ToolCall): string {
    return this.#sign('call', ...signedFields(call));
  }

  ofOutcome(call: ToolCall, outcome: ToolOutcome): string {
    const result = 'output' in outcome ? ['output', hashAsJson(outcome.output)] : ['error', outcome.errorText];
    return this.#sign('outcome', ...signedFields(call), ...result);
  }

  /** Signs an approval request to one user; the signature includes its time. */
  ofApproval(call: ToolCall, approvalId: string, uid = '', issuedAt = Date.now()): string {
    return `${issuedAt}.${this.#sign('approval', ...signedFields(call), approvalId, uid, String(issuedAt))}`;
  }

  isCall(call: ToolCall, signature = ''): boolean {
    return isSameSecret(signature, this.ofCall(call));
  }

  isOutcome(call: ToolCall, outcome: ToolOutcome, signature = ''): boolean {
    return isSameSecret(signature, this.ofOutcome(call, outcome));
  }

  /** Checks that the approval request was issued to this user and is still valid. */
  checkApproval(
    call: ToolCall,
    approvalId: string,
    uid: string | undefined,
    signature = '',
  ): 'valid' | 'expired' | 'forged' {
    const issuedAt = Number(/^(\d{1,15})\./.exec(signature)?.[1]);
    if (!isSameSecret(signature, this.ofApproval(call, approvalId, uid, issuedAt))) return 'forged';
    return Date.now() - issuedAt < approvalHours * 60 * 60 * 1000 ? 'valid' : 'expired';
  }

  #sign(...fields: string[]): string {
    return createHmac('sha256', this.#secret)
      .update(JSON.stringify([this.#chatId, ...fields]))
      .digest('base64url');
  }
}

const signedFields = ({ toolCallId, toolName, input }: ToolCall) => [toolCallId, toolName, hashAsJson(input)];

/** Hashes a value as it is after a round trip through JSON, which omits undefined fields. */
const hashAsJson = (value: unknown) => hashOfJson(JSON.parse(JSON.stringify(value) ?? 'null'));
