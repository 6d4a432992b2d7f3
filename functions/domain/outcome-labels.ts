/** What does not make labels differ: white space, `_`, dashes of any kind and invisible signs. */
const ignored = /[\p{White_Space}\p{Pd}\p{Cf}\p{DI}\u2212_]+/gu;

/** Returns the form in which labels of outcomes are compared: in one case, without ignored signs, in NFC. */
export const comparableLabel = (label: string) =>
  label
    .replace(ignored, '')
    .toLowerCase()
    .toUpperCase()
    // The small letter of the Turkish İ keeps its dot as a sign of its own.
    .replaceAll('I\u0307', 'I')
    .normalize('NFC');

/** Checks whether two labels are the same outcome. */
export const isSameLabel = (one: string, other: string) => {
  const comparable = comparableLabel(one);
  return one === other || (comparable !== '' && comparable === comparableLabel(other));
};
