import { extractDocument } from '../../../functions/jobs/extract-document.ts';
import { indexOf } from '../../../functions/search/source-index.ts';
import { lazyServices } from '../../../functions/service.ts';
import { documentReads } from '../../../functions/store/sources/documents.ts';
import { docxOf, pdfOf } from '../../support/documents.ts';
import { type Figure, median, type Row } from '../benchmark.ts';
import { newPendingDocument } from '../knowledge.ts';
import { prose } from '../prose.ts';

const eachWayMilliseconds = 5;
const rounds = 10;
const maxRatio = 1.3;
const maxMilliseconds = 150;

/** Measures the share of the index in the job of a document: the whole job, and the index of the same text by itself. */
export const extraction: Row = {
  name: 'extraction',
  title: `The job of a document with 340 KB of text, ${eachWayMilliseconds} ms each way`,

  async measure(open, say) {
    const { uid, newAgent, proxy } = await open();
    proxy.delay(eachWayMilliseconds);
    const services = lazyServices(extractDocument.services);
    const figures: Figure[] = [];
    for (const [what, name, write] of [
      ['PDF', 'some.pdf', (texts) => pdfOf(...texts)],
      ['Word', 'some.docx', (texts) => docxOf(...texts)],
      ['plain text', 'some.txt', async (texts) => Buffer.from(texts.join('\n\n'))],
    ] satisfies [string, string, (texts: string[]) => Promise<Uint8Array>][]) {
      say(what);
      const agentId = await newAgent();
      const taken = { job: [] as number[], index: [] as number[] };
      for (let round = 0; round <= rounds; round++) {
        // Every round has words of its own, as the first document of a process has.
        const bytes = await write(prose(400, round + 1));
        const documentId = await newPendingDocument(agentId, name, bytes);
        const message = { job: 'extractDocument' as const, uid, agentId, documentId };
        const job = await timed(() => extractDocument.handle(message, services, { until: Number.POSITIVE_INFINITY }));
        const record = await documentReads.get().find(agentId, documentId);
        const texts = record?.text && (await documentReads.get().wholeTexts(documentId, record.text));
        if (!texts) throw new Error(`${what} was not read.`);
        const index = await timed(() => indexOf('document', texts.content, texts.contentMD, undefined));
        // The first round warms up.
        if (round === 0) continue;
        taken.job.push(job);
        taken.index.push(index);
      }
      const [job, index] = [median(taken.job), median(taken.index)];
      const ratio = job / (job - index);
      figures.push({
        what,
        ours: { value: job, unit: 'ms' },
        against: { what: 'without its index', quantity: { value: job - index, unit: 'ms' }, ratio },
        target: {
          text: `≤ ${maxRatio}× and ≤ ${maxMilliseconds} ms more`,
          reached: ratio <= maxRatio && index <= maxMilliseconds,
        },
      });
    }
    return figures;
  },
};

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};
