import { hash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type * as z from 'zod/mini';
import type { Call } from '../../domain/calls.ts';
import { limits } from '../../domain/limits.ts';
import type { StoredTranscript, Transcript, TranscriptSettings, Turn } from '../../domain/transcripts.ts';
import { environment } from '../../environment.ts';
import { service } from '../../service.ts';
import { callTranscriptKey } from '../keys.ts';
import { type Item, type Table, TableStore, type TransactionAction, table } from '../table.ts';
import { CallRecords, type CallTarget, type StoredCall } from './call-records.ts';

/** `turns` is JSON, deflated. The daily job deletes the item before its time to live ends. */
type TranscriptItem = Item & {
  turns: Uint8Array;
  truncated?: true;
  source: StoredTranscript['source'];
  ttlSeconds: number;
};

const day = 24 * 60 * 60 * 1000;

/** Returns when a transcript expires, in Unix milliseconds. */
const computeExpiry = (endedAt: string, keepDays: number) => Date.parse(endedAt) + keepDays * day;

/** Returns the end of a call, or the last moment of it that is known. */
const findEnd = ({ endedAt, startedAt, durationSeconds = 0 }: Call): string =>
  endedAt ?? new Date(Date.parse(startedAt) + durationSeconds * 1000).toISOString();

/** Returns a call with its transcript, and the actions that store it; undefined if it stays as it is. */
export const keepTranscript = <C extends StoredCall['call']>(
  table: Table,
  call: C,
  transcript: StoredTranscript | undefined,
): { call: C; actions: TransactionAction[] } | undefined => {
  if (!transcript) return undefined;
  const { truncated, source, characters, keepDays, replaces } = transcript;
  const turns = JSON.stringify(transcript.turns);
  const digest = hash('sha256', turns).slice(0, 32);
  const { transcript: former, transcriptDeletedBy } = call;
  const endedAt = findEnd(call);
  const isKept = former && (digest === former.digest || (replaces === 'shorter' && characters <= former.characters));
  const isDeleted = replaces === 'shorter' && transcriptDeletedBy !== undefined;
  if (isKept || isDeleted || computeExpiry(endedAt, keepDays) <= Date.now()) return undefined;
  const { agentId, callId } = call;
  const item: TranscriptItem = {
    ...callTranscriptKey(agentId, callId, endedAt),
    turns: deflateRawSync(turns),
    truncated,
    source,
    ttlSeconds: Math.ceil(computeExpiry(endedAt, limits.transcriptDays) / 1000),
  };
  const isMoved = former !== undefined && former.endedAt !== endedAt;
  return {
    call: { ...call, transcript: { endedAt, characters, digest }, hasTranscript: true },
    actions: [
      table.putAction(item),
      ...(isMoved ? [table.deleteAction(callTranscriptKey(agentId, callId, former.endedAt))] : []),
    ],
  };
};

/** Reads the transcripts of calls. */
export class Transcripts extends TableStore {
  readonly #records: CallRecords;

  constructor(table: Table, retentionDays?: number) {
    super(table);
    this.#records = new CallRecords(table, retentionDays);
  }

  /** Returns the transcript of a call while the agent keeps it. */
  async find(
    target: CallTarget,
    settings: TranscriptSettings | undefined,
  ): Promise<z.infer<typeof Transcript> | undefined> {
    if (!settings) return undefined;
    const call = (await this.#records.find(target))?.call;
    if (!call?.transcript) return undefined;
    const expiresAt = computeExpiry(call.transcript.endedAt, settings.keepDays);
    const kept = expiresAt <= Date.now() ? undefined : await this.read(call);
    return kept && { ...kept, expiresAt: new Date(expiresAt).toISOString() };
  }

  /** Returns the transcript of a call that was read, until it is deleted. */
  async read({ agentId, callId, transcript: note }: StoredCall['call']) {
    const item = note && (await this.table.get<TranscriptItem>(callTranscriptKey(agentId, callId, note.endedAt)));
    if (!item) return undefined;
    const turns = JSON.parse(inflateRawSync(item.turns).toString()) as Turn[];
    const { truncated, source } = item;
    return { call_id: callId, turns, truncated, source };
  }
}

export const transcripts = /* @__PURE__ */ service(() => new Transcripts(table.get(), environment.callRetentionDays), {
  find: ['dynamodb:GetItem', 'dynamodb:Query'],
  read: ['dynamodb:GetItem'],
});
