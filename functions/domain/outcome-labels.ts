/** Returns the form in which labels of outcomes are compared: without case, spaces, `_` and `-`, in NFC. */
export const comparableLabel = (label: string) =>
  label
    .replace(/[\s_-]+/g, '')
    .toLowerCase()
    .toUpperCase()
    .normalize('NFC');

/** Checks whether two labels are the same outcome. */
export const isSameLabel = (one: string, other: string) => {
  const comparable = comparableLabel(one);
  return one === other || (comparable !== '' && comparable === comparableLabel(other));
};
