import { limits } from '../domain/limits.ts';
import { cut, withoutControlCharacters } from '../domain/text.ts';

/** A client as its document or its registration describes it. Its name is its own word. */
export type OAuthClient = { name?: string; redirectUris: string[] };

/** Thrown for a client that cannot be used. The message is a sentence for the person who opened the page. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly status: 400 | 429;

  constructor(message: string, status: 400 | 429 = 400) {
    super(message);
    this.status = status;
  }
}

/** Characters that turn the direction of what follows, so that a name would change the sentence around it. */
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]/g;

/** Returns a client's name for people: one line, cut. */
export const readClientName = (name: unknown): string | undefined =>
  typeof name === 'string'
    ? cut(withoutControlCharacters(name).replace(directions, '').trim(), limits.nameCharacters) || undefined
    : undefined;
