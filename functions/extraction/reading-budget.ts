import { limits } from '../domain/limits.ts';
import type { SourceWarning } from '../domain/sources.ts';

/** What the elements of a file cost in steps, each of about ten microseconds. */
export const steps = {
  /** Elements of a Word document: those that become elements of HTML and of Markdown, runs of text, and properties. */
  xmlBlock: 9,
  xmlRun: 1.5,
  xmlElement: 0.4,
  xmlAttribute: 0.4,
  htmlElement: 6,
  htmlAttribute: 1,
  page: 50,
  /** A piece of text on a page, and each of its letters. */
  pageText: 2,
  letter: 0.1,
  annotation: 5,
};

/**
 * The steps that a file may take to be read: a few compressed bytes can hold any number of elements. Each reader draws from the
 * budget of its file before it builds anything, and leaves out the rest of the file once the budget is spent.
 */
export class ReadingBudget {
  #left: number;
  #isSpent = false;

  /** The steps grow with the size of the file. */
  constructor(fileBytes: number) {
    const bySize = (fileBytes / megabyte) * limits.readingStepsPerMegabyte;
    this.#left = Math.min(limits.readingSteps, Math.max(limits.smallFileReadingSteps, bySize));
  }

  /** Returns false if the element must be left out, and so must all that follow it. */
  take(count: number): boolean {
    if (count > this.#left) this.#isSpent = true;
    else if (!this.#isSpent) this.#left -= count;
    return !this.#isSpent;
  }

  get left(): number {
    return this.#left;
  }

  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** What is missing in the text. */
  get warnings(): SourceWarning[] {
    return this.#isSpent ? [{ code: 'cut', message: tooManyElements }] : [];
  }
}

const megabyte = 1024 * 1024;
const tooManyElements = 'The source has too many elements, such as paragraphs or cells. The last ones are left out.';
