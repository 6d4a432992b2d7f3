import * as z from 'zod/mini';
import { textField } from './describe.ts';

/** The way in which a change was made. */
export const ways = ['api', 'mcp', 'chat', 'operator', 'platform', 'job'] as const;
export type Way = (typeof ways)[number];

/** Who makes a change: a user with an API key, or neither, and the way. `keyName` is the name of the key at that time. */
export type ChangeMaker = {
  uid?: string;
  keyId?: string;
  keyName?: string;
  via: Way;
};

/** The maker of a change as the changed item has it, with the time of the change in Unix milliseconds. */
export type StoredMaker = ChangeMaker & { at: number };

/** A key that did something, with the name that it had then. A signature has no name. */
export type NamedKey = { keyId: string; keyName?: string };

/** The name of a key, beside its `keyId`. */
export const KeyName = z.optional(textField('Name that the API key had then.', 'website'));

export const toNamedKey = ({ keyId, name }: { keyId: string; name?: string }): NamedKey => ({ keyId, keyName: name });

/** Returns the id of the key that a change names; undefined where the operator makes it. */
export const nameKeyId = ({ keyId, isOperators }: { keyId: string; isOperators?: true }): string | undefined =>
  isOperators ? undefined : keyId;
