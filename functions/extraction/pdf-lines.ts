type TextItem = { str: string; transform: number[]; width: number; height: number; hasEOL: boolean };
/** A part of a line, from its left to its right edge. */
export type Piece = { text: string; left: number; right: number };
export type Line = { pieces: Piece[]; size: number; y: number };

/** Returns the lines of a page in the order in which the file has them. */
export const collectLines = (items: TextItem[]): Line[] => {
  const lines: Line[] = [];
  let line: Line = { pieces: [], size: 0, y: 0 };
  for (const { str, transform, width, height, hasEOL } of items) {
    const [left = 0, y = 0] = transform.slice(4);
    line.pieces.push({ text: str, left, right: left + width });
    if (str.trim()) {
      line.size = Math.max(line.size, height);
      line.y = y;
    }
    if (!hasEOL) continue;
    lines.push(line);
    line = { pieces: [], size: 0, y: 0 };
  }
  return [...lines, line];
};

/** Joins the pieces of a line in the order in which they are read. */
export const joinLine = ({ pieces, size }: Line): string => {
  const text = pieces.map(({ text }) => text).join('');
  const rightToLeft = text.match(rightToLeftLetters)?.length ?? 0;
  if (rightToLeft === 0 || rightToLeft * 2 < (text.match(/\p{L}/gu)?.length ?? 0)) return text;
  const read: Piece[] = [];
  // Numbers and words of other scripts are read from left to right within the line.
  let from = 0;
  for (const piece of pieces.filter(({ text }) => text.trim()).toSorted((a, b) => b.right - a.right)) {
    if (isLeftToRight(piece)) read.splice(from, 0, piece);
    else from = read.push(piece);
  }
  const isApart = (a: Piece, b: Piece) => Math.max(a.left, b.left) - Math.min(a.right, b.right) > size / 10;
  return read
    .map((piece, index) => {
      const former = read[index - 1];
      return former && isApart(former, piece) ? ` ${piece.text}` : piece.text;
    })
    .join('');
};

const rightToLeftLetters = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/gu;
const isLeftToRight = ({ text }: Piece) => !text.match(rightToLeftLetters) && /[\p{L}\p{N}]/u.test(text);
