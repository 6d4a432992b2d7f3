import { count, formatNumber, say } from '../command-line/output.ts';
import type { FileRow } from './row.ts';
import { describeErrors } from './rows.ts';

/** Further errors are in the results file. */
const maxErrorsShown = 20;
const maxLinesShown = 3;
/** The different errors that are counted. */
const maxErrorsCounted = 1000;

/** The errors of a file. Where they are many, those of the same words are one line. */
export class ErrorList {
  readonly #first: string[] = [];
  /** The lines of the errors of the same words, and how the first one is shown. */
  readonly #kinds = new Map<string, { text: string; lines: number[] }>();
  #count = 0;

  add(file: string, row: FileRow<unknown>): void {
    const texts = describeErrors(file, row);
    for (const [index, { column, message }] of (row.errors ?? []).entries()) {
      this.#count++;
      const kind = column === undefined ? message : `${column}: ${message}`;
      const text = texts[index] ?? kind;
      if (this.#first.length < maxErrorsShown) this.#first.push(text);
      const found = this.#kinds.get(kind);
      if (found) found.lines.push(row.line);
      else if (this.#kinds.size < maxErrorsCounted) this.#kinds.set(kind, { text, lines: [row.line] });
    }
  }

  say(): void {
    let left = this.#count;
    if (left <= maxErrorsShown) {
      for (const text of this.#first) say(text);
      return;
    }
    const kinds = [...this.#kinds].sort(([, one], [, other]) => other.lines.length - one.lines.length);
    for (const [kind, { text, lines }] of kinds.slice(0, maxErrorsShown)) {
      left -= lines.length;
      const shown = lines.slice(0, maxLinesShown).map(formatNumber).join(', ');
      const others = lines.length > maxLinesShown ? ', …' : '';
      say(lines.length === 1 ? text : `${count(lines.length, 'row')}: ${kind} (lines ${shown}${others})`);
    }
    if (left > 0) say(`… and ${count(left, 'more error')}.`);
  }
}
