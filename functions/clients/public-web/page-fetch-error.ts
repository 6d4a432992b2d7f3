/** Thrown when a page cannot be read. The message is a sentence for the website's owner, without the resolved address or the response. */
export class PageFetchError extends Error {
  override readonly name: string = 'PageFetchError';
}
