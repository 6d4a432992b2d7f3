import type { BudgetShare } from '../domain/budgets.ts';
import type { RefusedOutcome } from '../domain/call-outcomes.ts';
import type { Call } from '../domain/calls.ts';
import type { StoredMaker } from '../domain/change-maker.ts';
import type { SourceKindName } from '../domain/sources.ts';
import type { WebhookEndpoint } from '../domain/webhooks.ts';
import type { AgentItem } from '../store/agents/agent-items.ts';
import type { NumberChange } from '../store/block-list/blocked-number.ts';
import type { ConsentItem } from '../store/consents/consent-items.ts';
import type { BlockListOwner } from '../store/keys.ts';
import type { DocumentRecord } from '../store/sources/documents.ts';
import type { WebsiteRecord } from '../store/sources/website-reads.ts';
import type { TableChange } from '../store/table-changes.ts';

type SourcePlace = { type: SourceKindName; agentId: string; id: string };
export type SourceItem = Partial<WebsiteRecord & DocumentRecord>;
/** A call that was written, as it was before and is now. */
type CallWrite = { agentId: string; callId: string; before?: Call; call: Call };
/** An endpoint. Those of `webhooks listen` live as long as a command. */
type EndpointPlace = { uid: string; endpoint: WebhookEndpoint & { listeningUntil?: number } };

/**
 * What a change of an item means. One change of an item may mean several. To add a kind, name it here, return it in
 * `decode.ts`, and give it a row in the tables of the log, the events and the marks: the compiler names each that misses it.
 */
export type DomainChange =
  | { kind: 'agentCreated' | 'agentTrafficUpdated'; agent: AgentItem }
  | { kind: 'agentUpdated'; before: AgentItem; agent: AgentItem; changed: string[] }
  | { kind: 'agentDeleted'; agentId: string; owner: string; guests: string[] }
  | { kind: 'accessGranted' | 'accessEnded'; agentId: string; owner: string; guest: string }
  | { kind: 'sourceCreated' | 'sourceRestarted'; source: SourcePlace }
  | { kind: 'sourceUpdated'; source: SourcePlace; changed: string[] }
  | { kind: 'sourceReady' | 'sourceFailed' | 'sourceDeleted'; source: SourcePlace; record: SourceItem }
  | ({ kind: 'callRecorded' | 'callOutcomeUpdated' } & CallWrite)
  | ({ kind: 'callOutcomeHeld'; heldOutcome: NonNullable<Call['heldOutcome']> } & CallWrite)
  | ({ kind: 'callOutcomeRefused' } & Required<RefusedOutcome> & CallWrite)
  | { kind: 'callDeleted'; agentId: string; callId: string; before?: Call }
  // A request also writes who deleted the call, in another item.
  | { kind: 'transcriptDeleted'; agentId: string; callId: string; maker: StoredMaker }
  | { kind: 'callDeletedByRequest'; agentId: string; callId: string; maker: StoredMaker }
  | { kind: 'numberChanged'; number: NumberChange }
  | { kind: 'numberErased'; list: BlockListOwner; number: string }
  | { kind: 'consentRecorded'; uid: string; consent: ConsentItem; number: NumberChange }
  | { kind: 'rulesUpdated'; list: BlockListOwner; version: number }
  | { kind: 'importFinished'; uid: string; importId: string; list: BlockListOwner; record: FinishedImport }
  | { kind: 'endpointCreated' | 'endpointDisabled' | 'endpointDeleted'; place: EndpointPlace }
  | { kind: 'endpointUpdated'; place: EndpointPlace; changed: string[] }
  | { kind: 'deliveriesResumed'; uid: string; endpointIds: string[] }
  | { kind: 'platformKeySet' | 'platformKeyDeleted'; uid: string; platform: string }
  | { kind: 'hookSecretSet' | 'hookSecretDeleted'; uid: string; platform: string }
  | { kind: 'keyCreated' | 'keyRevoked'; uid: string; keyId: string }
  | { kind: 'keyUpdated'; uid: string; keyId: string; changed: string[] }
  | { kind: 'userCreated' | 'userSuspended' | 'userResumed'; uid: string }
  | { kind: 'userUpdated'; uid: string; changed: string[] }
  | ({ kind: 'userBudgetReached'; uid: string; creator?: string; amount: number; currency: string } & ReachedShare)
  | { kind: 'userDeletionBegun'; uid: string; creator?: string }
  | { kind: 'personExportRequested'; uid: string; exportId: string }
  | { kind: 'erasureRequested'; uid: string; erasureId: string };

/** A share of a budget that the calls of a period have reached, and what they have cost then. */
type ReachedShare = { share: BudgetShare; period: string; spent: string };

/** What an import has done to a block list, with the first numbers. */
export type FinishedImport = {
  finishedAt: string;
  added: number;
  removed: number;
  addedNumbers: string[];
  removedNumbers: string[];
  madeBy?: StoredMaker;
};

type Kind = DomainChange['kind'];
export type DomainChangeOf<K extends Kind> = MemberOf<DomainChange, K>;
/** Returns the members of a union whose `kind` may be one of these. */
type MemberOf<C, K> = C extends { kind: Kind } ? ([C['kind'] & K] extends [never] ? never : C) : never;

/** What follows from each kind of change. */
export type ChangeTable<Result> = { [K in Kind]: (what: DomainChangeOf<K>, change: TableChange) => Result };

/** Returns what a table says about a change. */
export const lookUp = <Result>(table: ChangeTable<Result>, what: DomainChange, change: TableChange): Result =>
  (table[what.kind] as (what: DomainChange, change: TableChange) => Result)(what, change);

/** Returns the rows of kinds from which nothing follows. */
export const ignoreKinds = <K extends Kind, Result>(nothing: Result, ...kinds: K[]) =>
  Object.fromEntries(kinds.map((kind) => [kind, () => nothing])) as Record<K, () => Result>;
