import { hash } from 'node:crypto';
import pMap from 'p-map';
import { PlatformError, PlatformRequests } from '../clients/platform-requests.ts';
import { sealedSecrets } from '../clients/sealed-secrets.ts';
import { hashingSecret } from '../clients/secrets.ts';
import { ApiError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { platformTitles } from '../domain/voice-platforms.ts';
import { environment } from '../environment.ts';
import { callStarts } from '../hooks/call-starts.ts';
import { recordListedEnd } from '../hooks/record-ended.ts';
import { describeError, log } from '../log.ts';
import type { ServicesOf } from '../service.ts';
import { callRecords } from '../store/calls/call-records.ts';
import { calls } from '../store/calls/calls.ts';
import { erasedPeople } from '../store/erased-people.ts';
import { type ComparedPage, comparePage, type UnknownCall } from './compare-page.ts';
import type { CallPage, Position } from './lists/list.ts';
import { callLists } from './lists/lists.ts';
import { platformKeyOwner, platformKeys } from './platform-keys.ts';
import { isFinished, type Progress, reconciliations, type StoredReconciliation } from './reconciliations.ts';

/** The services of a function that reconciles calls. */
export const reconcileServices = {
  reconciliations: reconciliations.for('save', 'finish'),
  platformKeys: platformKeys.for('find', 'noteUse', 'noteRefusal'),
  sealedSecrets,
  callRecords: callRecords.for('earliestStart', 'listIds', 'readReported'),
  callStarts: callStarts.for('readEndFacts'),
  calls: calls.for('recordReported'),
  erasedPeople: erasedPeople.for('wasErasedAfter'),
  secret: hashingSecret,
};
type Services = ServicesOf<typeof reconcileServices>;

/** A request that fails is retried for at most this long. */
const maxRetryMinutes = 15;
const maxPages = 2000;
const pagesPerSave = 20;
const recordConcurrency = 4;

/** The delay before a reconciliation continues. Undefined: it is over. */
type Rest = { delaySeconds: number } | undefined;

/** Continues a reconciliation until a time (Unix milliseconds). Each page is saved: a run that is killed is continued by another. */
export const runReconciliation = async (
  found: StoredReconciliation | undefined,
  until: number,
  services: Services,
): Promise<Rest> => {
  if (!found || isFinished(found)) return undefined;
  return new Run(found, until, services).go();
};

/** One run of a reconciliation. */
class Run {
  #stored: StoredReconciliation;
  readonly #until: number;
  readonly #services: Services;
  /** The calls that are here, of a pass that reads only those that no earlier pass compared. */
  #recorded: Set<string> | undefined;

  constructor(stored: StoredReconciliation, until: number, services: Services) {
    this.#stored = stored;
    this.#until = until;
    this.#services = services;
  }

  async go(): Promise<Rest> {
    const { uid, platform, number, assistantIds, ...asked } = this.#stored;
    const key = await this.#services.platformKeys.find(uid, platform);
    if (!key) return this.#fail(`The API key for ${this.#title} was deleted. Set another one, and try again.`);
    const owner = platformKeyOwner(uid, platform);
    const apiKey = await this.#services.sealedSecrets.openUnlessBroken(owner, key.sealed);
    if (apiKey === undefined) return this.#fail(`The API key for ${this.#title} cannot be decrypted. Set it again.`);
    const list = callLists[platform];
    const requests = new PlatformRequests(environment.platformApiBases[platform], list.headers(apiKey, key.accountId));
    const [from, to] = [Date.parse(asked.from), Date.parse(asked.to)];
    const criteria = { from, to, assistantIds, number, accountId: key.accountId };
    const readPage = list.open(requests, criteria);
    try {
      let isAccepted = false;
      for (;;) {
        if (Date.now() >= this.#until) return (await this.#save(this.#progress)) ? { delaySeconds: 0 } : undefined;
        const page = await readPage(this.#progress.position);
        if (!isAccepted) await this.#services.platformKeys.noteUse(uid, key);
        isAccepted = true;
        const next = await this.#take(page);
        if (next !== 'goes on') return next === 'waits' ? { delaySeconds: 0 } : undefined;
      }
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      const { status } = error;
      if (error.isRefusal && status !== undefined) await this.#services.platformKeys.noteRefusal(uid, key, status);
      return this.#retryOrFail(error);
    }
  }

  get #progress(): Progress {
    return this.#stored.progress;
  }

  /** Compares a page and records what is missing. */
  async #take(page: CallPage): Promise<'goes on' | 'waits' | 'over'> {
    const { position, previous, pages } = this.#progress;
    const fresh = page.calls.filter(({ id }, index, all) => !previous.includes(hashId(id)) && isFirst(all, index));
    const isStuck =
      page.next !== undefined && page.calls.length > 0 && (fresh.length === 0 || isSame(page.next, position));
    if (isStuck) return this.#end(`The list of calls at ${this.#title} repeats a page.`);
    if (pages >= maxPages)
      return this.#end(`The list of calls at ${this.#title} has more than ${maxPages} pages. Choose a shorter period.`);
    const compared = await comparePage(this.#stored, fresh, await this.#listRecorded(), this.#services);
    const unrecorded = await this.#record(compared);
    if (!unrecorded) return 'waits';
    const counted = addCounts(this.#progress, countAsSkipped(compared, unrecorded));
    const done: Progress = {
      ...counted,
      position: page.next,
      // A page that is too large has no calls: the next one begins where it did.
      previous: page.calls.length === 0 ? previous : page.calls.map(({ id }) => hashId(id)),
      planned: { recovered: [], completed: [] },
      pages: pages + 1,
      troubledAt: undefined,
      failures: 0,
    };
    if (page.next === undefined) return this.#end(undefined, done);
    // Whoever waits for it sees each page. A pass of the clock that is killed begins again where it was last saved.
    if (this.#stored.isHourly && done.pages % pagesPerSave !== 0) {
      this.#stored = { ...this.#stored, progress: done };
      return 'goes on';
    }
    return (await this.#save(done)) ? 'goes on' : 'over';
  }

  async #listRecorded(): Promise<Set<string>> {
    const { agentId, comparedUntil } = this.#stored;
    if (comparedUntil === undefined) return new Set();
    this.#recorded ??= await this.#services.callRecords.listIds(agentId, this.#stored);
    return this.#recorded;
  }

  /** Records the calls that are missing. Returns those that cannot be recorded; undefined when the time is over, or another run has continued. */
  async #record({ planned, missing }: ComparedPage): Promise<Set<string> | undefined> {
    const unrecorded = new Set<string>();
    if (missing.length === 0 || this.#stored.dryRun) return unrecorded;
    // What this run records counts as such, also if it is killed before the page is saved.
    if (!(await this.#save({ ...this.#progress, planned }))) return undefined;
    let isInTime = true;
    await pMap(
      missing,
      async (call) => {
        if (Date.now() >= this.#until) isInTime = false;
        else if (!(await this.#recordOne(call))) unrecorded.add(call.callId);
      },
      { concurrency: recordConcurrency },
    );
    return isInTime ? unrecorded : undefined;
  }

  /** Records a call. False: it cannot be recorded. */
  async #recordOne({ callId, end }: UnknownCall): Promise<boolean> {
    const { agentId, uid, platform, reconciliationId } = this.#stored;
    try {
      await recordListedEnd(this.#services, { platform, end, callId, agentId, uid }, reconciliationId);
      return true;
    } catch (error) {
      // A call that cannot be recorded prevents no other.
      if (!(error instanceof ApiError) || error.code === 'overloaded') throw error;
      log('warn', { job: 'reconcileCalls', reconciliationId, callId, unrecorded: describeError(error) });
      return false;
    }
  }

  async #save(progress: Progress): Promise<boolean> {
    const saved = await this.#services.reconciliations.save(this.#stored, progress);
    if (saved) this.#stored = saved;
    return saved !== undefined;
  }

  async #end(error: string | undefined, progress = this.#progress): Promise<'over'> {
    const isEnded = await this.#services.reconciliations.finish(this.#stored, progress, { error });
    if (isEnded) this.#report(progress, error);
    return 'over';
  }

  async #fail(error: string): Promise<undefined> {
    await this.#end(error);
  }

  /** Retries after the time that the platform asks for, within 15 minutes, or fails with a sentence. */
  async #retryOrFail(error: PlatformError): Promise<Rest> {
    const { status, retryAfterSeconds, isPassing, message } = error;
    if (error.isRefusal)
      return this.#fail(`${this.#title} does not accept the API key (${status}). Set another one, and try again.`);
    if (status === 404)
      return this.#fail(`${this.#title} has no such account (404). Set the key again with the correct account.`);
    const sentence = `The list of calls at ${this.#title} cannot be read. ${message}`;
    if (!isPassing) return this.#fail(sentence);
    const { failures, troubledAt = Date.now() } = this.#progress;
    const delaySeconds = Math.max(1, retryAfterSeconds ?? Math.min(60, 2 ** failures));
    if (Date.now() + delaySeconds * 1000 > troubledAt + maxRetryMinutes * 60_000)
      return this.#fail(`${sentence} The service retries for at most ${maxRetryMinutes} minutes. Try again later.`);
    return (await this.#save({ ...this.#progress, troubledAt, failures: failures + 1 })) ? { delaySeconds } : undefined;
  }

  /** Logs the counts, from which the metrics follow. */
  #report(
    { listed, known, recovered, completed, skipped, differing, pages }: Progress,
    error: string | undefined,
  ): void {
    const { agentId, uid, platform, reconciliationId, dryRun, isHourly = false } = this.#stored;
    const counts = { listed, known, recovered, completed, skipped, differing };
    const about = { uid, agentId, reconciliationId, platform, dryRun, isHourly, pages };
    log(error === undefined ? 'info' : 'warn', { job: 'reconcileCalls', ...about, ...counts, error });
  }

  get #title(): string {
    return platformTitles[this.#stored.platform];
  }
}

const hashId = (id: string) => hash('sha256', id, 'base64url').slice(0, 11);
const isFirst = (all: { id: string }[], index: number) => all.findIndex(({ id }) => id === all[index]?.id) === index;
const isSame = (one: Position, other: Position | undefined) => JSON.stringify(one) === JSON.stringify(other);

/** Returns a page whose calls that could not be recorded count as skipped. */
const countAsSkipped = (compared: ComparedPage, unrecorded: Set<string>): ComparedPage => {
  const { counts, planned } = compared;
  const countUnrecorded = (callIds: string[]) => callIds.filter((callId) => unrecorded.has(callId)).length;
  const [recovered, completed] = [countUnrecorded(planned.recovered), countUnrecorded(planned.completed)];
  return {
    ...compared,
    counts: {
      ...counts,
      recovered: counts.recovered - recovered,
      completed: counts.completed - completed,
      skipped: counts.skipped + recovered + completed,
    },
  };
};

const addCounts = (progress: Progress, { counts, differences }: ComparedPage): Progress => ({
  ...progress,
  listed: progress.listed + counts.listed,
  known: progress.known + counts.known,
  recovered: progress.recovered + counts.recovered,
  completed: progress.completed + counts.completed,
  skipped: progress.skipped + counts.skipped,
  differing: progress.differing + counts.differing,
  differences: [...progress.differences, ...differences].slice(0, limits.reconciliationDifferences),
});
