import { setTimeout as sleep } from 'node:timers/promises';
import type { OPS, PDFPageProxy } from 'pdfjs-dist';
import type { PageBoxes } from './pdf-boxes.ts';
import type { Drawn, NumberedFonts } from './pdf-fonts.ts';
import { loadOperators } from './pdfjs.ts';

/** The time to find out what a page draws, and the time for all pages. */
const maxLookMilliseconds = 2000;
const maxLooksMilliseconds = 10_000;

/** What a page draws and its text lacks. */
export type Look = {
  hasDrawings: boolean;
  /** The letters for which their fonts have only numbers. */
  numbered: number;
  /** The letters in the parts of the page that are not shown. */
  hidden: number;
};

/** Returns a function that looks at the pages that have no text, or fonts or boxes that can hide some. */
export const createLook = (fonts: NumberedFonts, boxes: PageBoxes) => {
  let leftMilliseconds = maxLooksMilliseconds;
  return async (page: PDFPageProxy, read: { hasText: boolean; letters: number }): Promise<Look | undefined> => {
    if (leftMilliseconds <= 0 || (read.hasText && fonts.isEmpty && !boxes.isCropped)) return undefined;
    const started = performance.now();
    const drawn = await Promise.race([
      page.getOperatorList({ annotationMode: 0 }).catch(() => ({ fnArray: [], argsArray: [] })),
      sleep(maxLookMilliseconds),
    ]);
    // Forms that draw each other have no end.
    leftMilliseconds = drawn ? leftMilliseconds - (performance.now() - started) : 0;
    if (!drawn) return undefined;
    const operators = await loadOperators();
    return {
      hasDrawings: hasDrawings(drawn, operators),
      numbered: fonts.countLetters(page, drawn, operators),
      hidden: boxes.isCropped ? Math.max(0, countDrawnLetters(drawn, operators) - read.letters) : 0,
    };
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

const countDrawnLetters = ({ fnArray, argsArray }: Drawn, operators: typeof OPS) =>
  fnArray.reduce((count, operator, index) => {
    if (operator !== operators.showText) return count;
    const glyphs = argsArray[index][0] as ({ unicode: string } | number | null)[];
    return count + countLetters(glyphs.map((glyph) => (typeof glyph === 'object' && glyph?.unicode) || '').join(''));
  }, 0);

/** Returns the number of letters and digits of a text. */
export const countLetters = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
