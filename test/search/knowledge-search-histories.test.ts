import fc from 'fast-check';
import { beforeAll, expect } from 'vitest';
import { newIdentifier, newUlid } from '../../functions/domain/identifiers.ts';
import { indexFormat } from '../../functions/domain/knowledge-index.ts';
import { proseText } from '../../functions/domain/sources.ts';
import { KnowledgeSearch } from '../../functions/search/knowledge-search.ts';
import { loadLanguage } from '../../functions/search/languages.ts';
import { packIndex } from '../../functions/search/pack-index.ts';
import { type DocumentRecord, documentKind } from '../../functions/store/sources/documents.ts';
import { SourceChanges } from '../../functions/store/sources/source-changes.ts';
import { SourceReads } from '../../functions/store/sources/source-reads.ts';
import { SourceTexts } from '../../functions/store/sources/source-texts.ts';
import { Sources } from '../../functions/store/sources/sources.ts';
import { type WebsiteRecord, websiteKind } from '../../functions/store/sources/website-reads.ts';
import { openTable, type Table } from '../../functions/store/table.ts';
import { itInAnyHistory } from '../support/any-history.ts';
import { injectFaultsInto, tenPercent } from '../support/faults.ts';
import { newDocument } from '../support/quotas.ts';
import { target, useTargetInThisProcess } from '../support/world.ts';

let sound: Table;
/** The process that changes sources. Its calls fail, and it may be killed between any two of them. */
let disturbed: Table;
beforeAll(() => {
  useTargetInThisProcess();
  sound = openTable(target.tableName);
  disturbed = openTable(target.tableName);
});

const verb = fc.constantFrom(
  ...(['read again', 'enable', 'disable', 'rename', 'index in German', 'index in English', 'delete'] as const),
);
/** A change of one of two documents, and after how many calls to the table its process is killed, if it is. */
const action = fc.record({
  verb,
  document: fc.nat({ max: 1 }),
  killedAfter: fc.option(fc.nat({ max: 9 }), { freq: 2 }),
});
const history = fc.record({ actions: fc.array(action, { minLength: 4, maxLength: 10 }), seed: fc.integer() });
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

/** A process that searches: `warm` ones keep what they have read. */
const newSearch = () =>
  new KnowledgeSearch(
    new SourceReads<WebsiteRecord>(sound, websiteKind),
    new SourceReads<DocumentRecord>(sound, documentKind),
    new SourceTexts(sound),
    new SourceChanges(sound),
  );

const makeIndex = async (language: string, text: string) => ({
  packed: packIndex([{ text }], text, await loadLanguage(language)).packed,
  ...{ format: indexFormat, language },
});

/** The operations on the documents of one agent. */
class Knowledge {
  readonly agentId = newIdentifier('agent');
  readonly #documents = new Sources<DocumentRecord>(disturbed, documentKind);
  readonly #reads = new SourceReads<DocumentRecord>(disturbed, documentKind);
  readonly #ids = new Map<number, string>();
  #texts = 0;

  /** Changes a document, or adds it where there is none. */
  async perform({ verb, document }: Pick<Action, 'verb' | 'document'>): Promise<void> {
    const id = this.#ids.get(document);
    if (id === undefined) return this.#add(document);
    const source = { agentId: this.agentId, id };
    switch (verb) {
      case 'read again': {
        const attempt = newUlid();
        await this.#documents.restart(source, { attempt, uid: 'user' }, () => true);
        return this.#bring(source, attempt);
      }
      case 'enable':
      case 'disable':
        return void (await this.#documents.edit(source, { active: verb === 'enable' }, 'user'));
      case 'rename':
        return void (await this.#documents.edit(source, { name: `named ${this.#texts++}` }, 'user'));
      case 'index in German':
      case 'index in English': {
        const text = (await this.#reads.find(this.agentId, source.id))?.text;
        const texts = text && (await this.#reads.wholeTexts(source.id, text));
        const language = verb === 'index in German' ? 'de' : 'en';
        if (text && texts) await this.#documents.reindex(source, text, await makeIndex(language, texts.content));
        return;
      }
      case 'delete':
        if (await this.#documents.remove(source)) this.#ids.delete(document);
    }
  }

  /** An id never comes again. */
  async #add(document: number): Promise<void> {
    const id = newIdentifier('doc');
    this.#ids.set(document, id);
    await this.#documents.add(newDocument(this.agentId, { id }));
    await this.#bring({ agentId: this.agentId, id }, 'first');
  }

  async #bring(source: { agentId: string; id: string }, attempt: string): Promise<void> {
    const run = await this.#documents.start(source, attempt);
    if (!run) return;
    const text = `Die Häuser sind offen. The houses are open: text ${this.#texts++}.`;
    const texts = { content: proseText(text), contentMD: proseText(text), index: await makeIndex('en', text) };
    await this.#documents.finish(source, { attempt, revision: run.revision }, texts, {});
  }
}

/** Performs a change whose process is killed after some calls, or whose calls fail now and then. */
const disturb = async (work: () => Promise<void>, { killedAfter }: Action, seed: number) => {
  const next = tenPercent(seed);
  let calls = 0;
  injectFaultsInto(disturbed.client, () => (killedAfter !== null && calls++ >= killedAfter ? 'kill' : next()));
  await work().catch(() => {});
};

itInAnyHistory(
  'a search whose process keeps the sources finds what one that reads all of them finds, in any history',
  [1, 300],
  async (runs) => {
    const property = fc.asyncProperty(history, async ({ actions, seed }) => {
      const knowledge = new Knowledge();
      const warm = [newSearch(), newSearch()];
      const search = (one: KnowledgeSearch) => one.search(knowledge.agentId, 'Haus house text', { limit: 20 });
      injectFaultsInto(disturbed.client, () => undefined);
      for (const document of [0, 1]) await knowledge.perform({ verb: 'enable', document });
      for (const [index, one] of actions.entries()) {
        const change = disturb(() => knowledge.perform(one), one, seed + index);
        // One searches while the source changes, the other one only afterwards.
        await Promise.all([change, search(warm[0] as KnowledgeSearch)]);
        const expected = await search(newSearch());
        for (const each of warm) expect(await search(each)).toEqual(expected);
      }
    });
    await fc.assert(property, { numRuns: runs });
  },
);
