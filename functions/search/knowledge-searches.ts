import { wholeService } from '../service.ts';
import { documentReads } from '../store/sources/documents.ts';
import { sourceChanges } from '../store/sources/source-changes.ts';
import { sourceTexts } from '../store/sources/source-texts.ts';
import { websiteReads } from '../store/sources/website-reads.ts';
import { KnowledgeSearch } from './knowledge-search.ts';

const services = {
  websites: websiteReads.for('list'),
  documents: documentReads.for('list'),
  texts: sourceTexts.for('readForSearch'),
  changes: sourceChanges.for('of'),
};
const permissions = Object.values(services).flatMap((service) => service.permissions);
const stores = () =>
  [services.websites.get(), services.documents.get(), services.texts.get(), services.changes.get()] as const;

/** The search of an agent's knowledge. */
export const knowledgeSearch = /* @__PURE__ */ wholeService(() => new KnowledgeSearch(...stores()), permissions);

/** The same for functions that seldom search: its code is loaded by the first search. */
export const knowledgeSearchOnDemand = /* @__PURE__ */ wholeService((): Pick<KnowledgeSearch, 'search'> => {
  let opened: Promise<KnowledgeSearch> | undefined;
  return {
    async search(...search) {
      opened ??= import('./knowledge-search.ts').then((loaded) => new loaded.KnowledgeSearch(...stores()));
      return (await opened).search(...search);
    },
  };
}, permissions);
