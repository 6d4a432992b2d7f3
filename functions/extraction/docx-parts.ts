import { SaxesParser } from 'saxes';
import type { ReadShared } from './docx-relationships.ts';
import { type ReadingBudget, steps } from './reading-budget.ts';

/** A tree of XML takes fifty times the memory of its text, so a long document is read in parts of about this length. */
const partCharacters = 200_000;
const pieceBytes = 64 * 1024;

const runs = /(^|:)[rt]$/;
/** The elements whose text is read. Instructions of fields are as long as texts, and most of them are not. */
const texts = /(^|:)t$/;
/** Elements whose attributes the library reports. */
const reported = /(^|:)([prR]Style|tblStyle|br|sym)$/;
/** The elements that become elements of HTML. */
const blocks = /(^|:)(p|tbl|tr|tc|br|cr|tab|b|i|u|strike|hyperlink|drawing|pict)$/;

/** Returns the XML of a part as far as the budget goes. */
export const cutXml = (xml: Buffer, budget: ReadingBudget): string => [...splitParts(xml, budget, xml.length)].join('');

/**
 * Splits a long document between paragraphs and tables, as far as the budget goes. The XML is parsed piece by piece: one string
 * would fill the worker's heap.
 */
export const splitParts = function* (
  xml: Buffer,
  budget: ReadingBudget,
  characters = partCharacters,
): Generator<string> {
  const open: string[] = [];
  const ends: number[] = [];
  let body: { start: number; depth: number; closing: string } | undefined;
  /** The end of the last element that the budget has paid for. */
  let paid = 0;
  const reports = new Set<string>();
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, isSelfClosing, attributes }) => {
    const size = blocks.test(name) ? steps.xmlBlock : runs.test(name) ? steps.xmlRun : steps.xmlElement;
    const known = reports.size;
    reports.add(describeReport(name, attributes));
    const cost = size + (reports.size > known ? known * steps.xmlReport : 0);
    if (!budget.takeElement(cost, Object.keys(attributes).length, steps.xmlAttribute)) throw new SpentError();
    paid = parser.position;
    open.push(name);
    if (body || isSelfClosing || !/(^|:)body$/.test(name)) return;
    body = { start: parser.position, depth: open.length, closing: closeTags(open) };
  });
  parser.on('text', (text) => {
    if (texts.test(open.at(-1) ?? '') && !budget.take(text.length * steps.character)) throw new SpentError();
  });
  parser.on('closetag', () => {
    paid = parser.position;
    open.pop();
    if (body && open.length === body.depth) ends.push(parser.position);
  });

  const decoder = new TextDecoder();
  let head: string | undefined;
  let held = '';
  let heldFrom = 0;
  for (let at = 0; at < xml.length; at += pieceBytes) {
    const piece = decoder.decode(xml.subarray(at, at + pieceBytes), { stream: true });
    held += piece;
    try {
      if (!budget.take(piece.length * steps.xmlCharacter)) throw new SpentError();
      parser.write(piece);
    } catch (error) {
      // The library reads a short part that is not well-formed as far as it can.
      if (!(error instanceof SpentError) && xml.length <= partCharacters) return yield xml.toString();
      if (!(error instanceof SpentError)) throw error;
      return yield (head ?? '') + held.slice(0, paid - heldFrom) + closeTags(open);
    }
    if (!body) continue;
    if (head === undefined) {
      head = held.slice(0, body.start);
      held = held.slice(body.start);
      heldFrom = body.start;
    }
    for (const end of ends.splice(0)) {
      if (end - heldFrom < characters) continue;
      yield head + held.slice(0, end - heldFrom) + body.closing;
      held = held.slice(end - heldFrom);
      heldFrom = end;
    }
  }
  parser.close();
  yield (head ?? '') + held;
};

/** Returns what the library may report of an element, which it compares with all other reports. */
const describeReport = (name: string, attributes: Record<string, string>): string => {
  const isReported = reported.test(name);
  const named = Object.entries(attributes).filter(([attribute]) => isReported || attribute.startsWith('xmlns'));
  return [name, ...named.map(([, value]) => value)].join(' ');
};

const closeTags = (open: string[]) =>
  open
    .map((tag) => `</${tag}>`)
    .reverse()
    .join('');

/** Ends a parser whose budget is spent. */
class SpentError extends Error {
  override readonly name = 'SpentError';
}

/** Returns a reader of the files that all parts share, such as the styles: the library parses them again for each part. */
export const sharedReader = (files: Map<string, Buffer>, budget: ReadingBudget): ReadShared => {
  const read = new Map<string, { text: string; cost: number }>();
  return (name) => {
    const known = read.get(name);
    if (known) {
      // The last part of a spent document still has its styles and notes.
      budget.take(known.cost);
      return known.text;
    }
    const { left } = budget;
    const bytes = files.get(name);
    const text = bytes ? cutXml(bytes, budget) : '';
    read.set(name, { text, cost: left - budget.left });
    return text;
  };
};
