import { findAll } from './pdf-fonts.ts';
import { type ReadingBudget, steps } from './reading-budget.ts';

/** The boxes of the pages of a document. The crop box of a page is the part of its media box that is shown. */
export class PageBoxes {
  readonly #media = new Set<string>();
  readonly #crop = new Set<string>();
  readonly #budget: ReadingBudget;

  constructor(budget: ReadingBudget) {
    this.#budget = budget;
  }

  /** Adds the boxes that are in objects of the document. */
  collect(objects: Buffer): void {
    for (const [name, boxes] of [['/MediaBox', this.#media] as const, ['/CropBox', this.#crop] as const]) {
      for (const at of findAll(objects, name)) {
        if (!this.#budget.takeSpare(steps.box)) return;
        const entry = objects.toString('latin1', at + name.length, at + maxEntryBytes);
        const [, numbers] = /^\s*\[([^\]]*)\]/.exec(entry) ?? [];
        if (numbers) boxes.add(numbers.trim().split(/\s+/).map(Number).join(' '));
      }
    }
  }

  /** True if there may be pages of which a part is not shown. */
  get isCropped(): boolean {
    return [...this.#crop].some((box) => !this.#media.has(box));
  }
}

const maxEntryBytes = 200;
