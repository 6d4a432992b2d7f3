import type { DocumentSummary, WebsiteSummary } from '../../../openapi/client/client.ts';
import type { Tone } from '../components/values.tsx';

/** A website or a document in the knowledge of an agent. */
export type Source = ({ kind: 'website' } & WebsiteSummary) | ({ kind: 'document' } & DocumentSummary);

const states: Record<Source['status'], { tone: Tone; label: string }> = {
  pending: { tone: 'working', label: 'Waiting' },
  crawling: { tone: 'working', label: 'Reading the pages' },
  processing: { tone: 'working', label: 'Reading the text' },
  ready: { tone: 'good', label: 'Ready' },
  failed: { tone: 'bad', label: 'Failed' },
};

export const describeState = ({ status }: Source) => states[status];

/** Returns true while the text of the source is being read. */
export const isUnderWay = ({ status }: Pick<Source, 'status'>) => states[status].tone === 'working';
