/** Why a page cannot be read, in a sentence for the website's owner. Never reveals the resolved address or what responded. */
export class PageFetchError extends Error {
  override readonly name: string = 'PageFetchError';
}
