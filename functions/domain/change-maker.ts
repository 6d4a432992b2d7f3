/** The way in which a change was made. */
export const ways = ['api', 'mcp', 'chat', 'operator', 'platform', 'job'] as const;
export type Way = (typeof ways)[number];

/** Who makes a change: a user with an API key, or neither, and the way. `keyName` is the name of the key at that time. */
export type ChangeMaker = {
  uid?: string | undefined;
  keyId?: string | undefined;
  keyName?: string | undefined;
  via: Way;
};

/** The maker of a change as the changed item has it, with the time of the change in Unix milliseconds. */
export type StoredMaker = ChangeMaker & { at: number };
