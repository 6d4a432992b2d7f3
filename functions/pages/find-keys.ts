/** The keys that lead to the search of a page, as they are written on the user's keyboard. */
export const findKeys = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K';

/** Returns true if a key is pressed with Ctrl or ⌘ to search. */
export const isFind = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey;
