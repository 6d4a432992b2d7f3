import { limits } from '../domain/limits.ts';
import type { SourceWarning } from '../domain/sources.ts';

/** What the elements of a file cost in steps, each of about ten microseconds. */
export const steps = {
  /** Elements of a Word document: those that become elements of HTML and of Markdown, runs of text, and properties. */
  xmlBlock: 5.6,
  xmlRun: 0.9,
  xmlElement: 0.25,
  xmlAttribute: 0.25,
  /** For each name that the file has had, a further one: the library compares what it reports with all of it. */
  xmlReport: 0.06,
  xmlCharacter: 0.002,
  /** A character of the text of a Word document, or of a file within it. */
  character: 0.03,
  /** A field around a run of text in a Word document, and a character of their instructions. */
  fieldAround: 0.02,
  instructionCharacter: 0.005,
  htmlElement: 6,
  htmlAttribute: 1,
  /** A cell that a table has not, but its grid. */
  tableCell: 1,
  page: 50,
  /** A piece of text on a page, and each of its letters. */
  pageText: 2,
  letter: 0.1,
  annotation: 5,
  /** A piece of text on a page, for each field on it. */
  pieceBesideField: 0.05,
  /** A place in the objects of a document with a font, or with a box. */
  font: 5,
  box: 0.5,
  attachedByte: 0.001,
  /** A code in a range of codes. */
  code: 0.02,
};

/** No element of a document has more attributes than this. Each further one costs some steps. */
const usualAttributes = 100;
const stepsPerUnusualAttribute = 3;

/** What takes longer is what no step foresees. A small file may need a large table of characters. */
const maxMicrosecondsPerStep = 16;
const tableMilliseconds = 700;
/** Asking the time takes as long as a few elements. */
const takesPerLook = 32;

/** Returns the steps that a file of this size may take. */
const countSteps = (fileBytes: number) =>
  Math.min(
    limits.readingSteps,
    limits.smallFileReadingSteps + (fileBytes / (1024 * 1024)) * limits.readingStepsPerMegabyte,
  );

/** Returns the CPU time that the steps of a file of this size may take. */
export const readingMilliseconds = (fileBytes: number): number =>
  tableMilliseconds + (countSteps(fileBytes) * maxMicrosecondsPerStep) / 1000;

/** Returns the CPU time after which a file is given up: for what cannot end when its budget is spent. */
export const maxCpuSeconds = (fileBytes: number): number => (readingMilliseconds(fileBytes) * 1.25) / 1000;

/**
 * The steps that a file may take to be read: a few compressed bytes can hold any number of elements. Each reader draws from the
 * budget of its file before it builds anything, and leaves out the rest of the file once the budget is spent. The budget is also
 * spent once the thread has taken the time of all its steps.
 */
export class ReadingBudget {
  #left: number;
  readonly #half: number;
  #isSpent = false;
  #isOutOfTime = false;
  #takes = 0;
  #tablesWithoutColumns = 0;
  readonly #startedAt = readThreadTime();
  readonly #milliseconds: number;
  #share = 1;

  /** The steps grow with the size of the file. */
  constructor(fileBytes: number) {
    this.#left = countSteps(fileBytes);
    this.#half = this.#left / 2;
    this.#milliseconds = readingMilliseconds(fileBytes);
  }

  /** Returns false if the element must be left out, and so must all that follow it. */
  take(count: number): boolean {
    if (count > this.#left || (++this.#takes % takesPerLook === 0 && this.isOver())) this.#isSpent = true;
    else if (!this.#isSpent) this.#left -= count;
    return !this.#isSpent;
  }

  /** Takes the steps of work that can be left out: half of all steps stay for the text. Returns false if it must be left out. */
  takeSpare(count: number): boolean {
    return this.#left - count >= this.#half && this.take(count);
  }

  /** Takes the steps of the grid of a table. Returns false if its cells are read without columns. */
  takeGrid(count: number): boolean {
    const isTaken = count === 0 || (count <= this.#left && this.take(count));
    if (!isTaken) this.#tablesWithoutColumns++;
    return isTaken;
  }

  /** Takes the steps of an element with attributes. Libraries compare the attributes of an element with each other. */
  takeElement(count: number, attributes: number, stepsPerAttribute: number): boolean {
    const unusual = Math.max(0, attributes - usualAttributes);
    return this.take(count + attributes * stepsPerAttribute + unusual * stepsPerUnusualAttribute);
  }

  /** Returns true if the steps are spent, or their time is over. */
  isOver(): boolean {
    const isLate = readThreadTime() - this.#startedAt > this.#milliseconds * this.#share;
    if (isLate && this.#share === 1 && !this.#isSpent) {
      this.#isSpent = true;
      this.#isOutOfTime = true;
    }
    return isLate || this.#isSpent;
  }

  /** Runs work that can be left out, within half of the time. Returns undefined if the work is left out. */
  async spare<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    this.#share = 0.5;
    try {
      if (this.isOver()) return undefined;
      const result = await work();
      return this.isOver() ? undefined : result;
    } finally {
      this.#share = 1;
    }
  }

  get left(): number {
    return this.#left;
  }

  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** True if the time was over before the steps were spent: then what a library has found by itself is at hand. */
  get isOutOfTime(): boolean {
    return this.#isOutOfTime;
  }

  /** What is missing in the text. */
  get warnings(): SourceWarning[] {
    const found: [boolean, SourceWarning['code'], string][] = [
      [this.#isSpent, 'cut', tooManyElements],
      [this.#tablesWithoutColumns > 0, 'ignored_elements', tooLargeTables],
    ];
    return found.filter(([isFound]) => isFound).map(([, code, message]) => ({ code, message }));
  }
}

/** Returns the milliseconds of CPU time that this thread has taken. */
const readThreadTime = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

const tooManyElements = 'The source has too many elements, such as paragraphs or cells. The last ones are left out.';
const tooLargeTables = 'The source has tables that are too large. In Markdown, their cells are read without columns.';
