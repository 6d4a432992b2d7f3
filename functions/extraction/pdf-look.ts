import type { OPS, PDFPageProxy } from 'pdfjs-dist';
import type { PageBoxes } from './pdf-boxes.ts';
import { type Drawn, listGlyphs, type NumberedFonts } from './pdf-fonts.ts';
import { findOrderedFonts, hasNumberedSpace, readGlyphNumbers } from './pdf-glyph-order.ts';
import { loadOperators } from './pdfjs.ts';
import type { ReadingBudget } from './reading-budget.ts';

/** What a page draws and its text lacks. */
type Seen = {
  hasDrawings: boolean;
  /** The letters for which their fonts have only numbers. */
  numbered: number;
  /** The letters in the parts of the page that are not shown. */
  hidden: number;
};

export type Look = ReturnType<typeof createLook>;

/** Returns functions that look at the pages that have no text, or fonts or boxes that can hide or change some. */
export const createLook = (fonts: NumberedFonts, boxes: PageBoxes, budget: ReadingBudget) => {
  const ordered = new Set<string>();
  /** Returns what a page draws, unless that takes too long. */
  const draw = (page: PDFPageProxy): Promise<Drawn | undefined> =>
    budget.spare(() => page.getOperatorList({ annotationMode: 0 }).catch(() => ({ fnArray: [], argsArray: [] })));
  return {
    /** Puts letters in the place of numbers of glyphs that the library took for characters, and counts them. */
    replaceGlyphNumbers: async (page: PDFPageProxy, items: { str: string; fontName: string }[]): Promise<number> => {
      if (items.some(({ str, fontName }) => hasNumberedSpace(str) && !ordered.has(fontName))) {
        const drawn = await draw(page);
        for (const font of drawn ? findOrderedFonts(drawn, await loadOperators()) : []) ordered.add(font);
      }
      const numbered = items.filter(({ fontName }) => ordered.has(fontName));
      for (const item of numbered) item.str = readGlyphNumbers(item.str);
      return countLetters(numbered.map(({ str }) => str).join(''));
    },
    /** Looks at a page after its text is read. */
    findMissing: async (page: PDFPageProxy, read: { hasText: boolean; letters: number }): Promise<Seen | undefined> => {
      if (read.hasText && fonts.isEmpty && !boxes.isCropped) return undefined;
      const drawn = await draw(page);
      if (!drawn) return undefined;
      const operators = await loadOperators();
      return {
        hasDrawings: hasDrawings(drawn, operators),
        numbered: fonts.countLetters(page, drawn, operators, ordered),
        hidden: boxes.isCropped ? Math.max(0, countDrawnLetters(drawn, operators) - read.letters) : 0,
      };
    },
  };
};

/** Returns true if a page shows pictures or drawings. Their data are not read. */
const hasDrawings = ({ fnArray }: Drawn, operators: typeof OPS) => {
  const { paintImageXObject, paintInlineImageXObject, paintImageMaskXObject, constructPath } = operators;
  const pictures = [paintImageXObject, paintInlineImageXObject, paintImageMaskXObject] as number[];
  const paths = fnArray.filter((operator) => operator === constructPath).length;
  return paths > maxPathsOfFrame || fnArray.some((operator) => pictures.includes(operator));
};

/** A page with fewer paths has frames and rules, and no picture. */
const maxPathsOfFrame = 30;

const countDrawnLetters = (drawn: Drawn, operators: typeof OPS) => {
  let count = 0;
  for (const { glyphs } of listGlyphs(drawn, operators)) {
    count += countLetters(glyphs.map(({ unicode }) => unicode).join(''));
  }
  return count;
};

/** Returns the number of letters and digits of a text. */
export const countLetters = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
