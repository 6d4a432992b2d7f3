/** Recorded in the history of an outcome as the key of the operator's changes. */
export const operatorKeyId = 'operator';
