/** A text before and after a change. The part in the middle that differs is marked. */
export const Difference = ({ before, after }: { before: string | undefined; after: string | undefined }) => {
  const [start, removed, added, end] = splitDifference(before ?? '', after ?? '');
  return (
    <div className="difference" dir="auto">
      {before !== undefined && (
        <p className="before">
          <span className="visually-hidden">Before: </span>
          {start}
          {removed && <del>{removed}</del>}
          {end}
        </p>
      )}
      {after !== undefined && (
        <p className="after">
          <span className="visually-hidden">After: </span>
          {start}
          {added && <ins>{added}</ins>}
          {end}
        </p>
      )}
      {(before === undefined || after === undefined) && (
        <p className="faint">{before === undefined ? 'It was empty before.' : 'It is empty now.'}</p>
      )}
    </div>
  );
};

/** Splits two texts into their common beginning, what differs in each, and their common end, at the ends of words. */
const splitDifference = (
  before: string,
  after: string,
): [start: string, removed: string, added: string, end: string] => {
  const a = before.split(/(?<=\s)/);
  const b = after.split(/(?<=\s)/);
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const middle = (words: string[]) => words.slice(start, words.length - end).join('');
  return [a.slice(0, start).join(''), middle(a), middle(b), a.slice(a.length - end).join('')];
};
