/** Why nothing could be done, or not to the end, in a sentence for the one who started it. */
export class InputFileError extends Error {
  override readonly name = 'Unusable';
}
