import { createHash, randomInt } from 'node:crypto';
import { decodeTime, encodeTime, monotonicFactory } from 'ulid';
import * as z from 'zod/mini';
import { describe, textField } from './describe.ts';
import { examples } from './examples.ts';

const form = /^[A-Za-z0-9_.:-]{1,128}$/;

/** Clients and proxies remove these from a path, so that it names something else. */
const dotSegments = ['.', '..'];

/** What is wrong with an identifier. It is read after the name of the field. */
export const identifierError = 'must be 1 to 128 of A-Z a-z 0-9 _ . : -, but not . or ..';

/** An identifier as a record has it: dot segments were once accepted. */
export const StoredIdentifier = z.string().check(z.regex(form, { error: identifierError }));

/** An identifier from a caller, such as `uid` or `agentId`. */
export const Identifier = StoredIdentifier.check(
  z.refine((value) => !dotSegments.includes(value), { error: identifierError }),
);

export const Uid = Identifier.check(describe('Id of the user that the API key belongs to.', examples.uid));
export const AgentId = Identifier.check(describe('Id of the agent.', examples.agentId));

/** The id of an agent in a path. A malformed one is an unknown agent, not an invalid request. */
export const AgentIdInPath = textField('Id of the agent.', examples.agentId);

/** Checks that a text is well-formed as an identifier. */
export const isIdentifier = (value: string) => form.test(value) && !dotSegments.includes(value);

export type IdentifierKind =
  | 'agent'
  | 'user'
  | 'web'
  | 'doc'
  | 'key'
  | 'import'
  | 'erasure'
  | 'reconciliation'
  | 'consent'
  | 'export'
  | 'endpoint'
  | 'change'
  | 'event'
  | 'delivery'
  /** A key of the operator's commands. */
  | 'operator';

/** Creates 26 characters that sort by time. Web Crypto would take a quarter of the CPU of a first response. */
export const newUlid = monotonicFactory(() => randomInt(32) / 32);

/** Returns the time of a ULID in Unix milliseconds. */
export const timeOfUlid = (ulid: string): number => decodeTime(ulid);

/** Creates an identifier: prefixed, and sortable by time. */
export const newIdentifier = (kind: IdentifierKind, ulid = newUlid()) => `${kind}_${ulid}`;

/** Returns the id of an item's copy: always the same, with the same sort order. */
export const identifierOfCopy = (id: string, copyId: string) => {
  const [, head = '', ulid = id, rest = ''] = /^([a-z]+_[0-9A-Z]{10})([0-9A-Z]{16})(.*)$/.exec(id) ?? [];
  const bytes = createHash('sha256').update(`${copyId}\n${head}${ulid}`).digest();
  return head + [...bytes.subarray(0, 16)].map((byte) => crockford[byte % 32]).join('') + rest;
};

/** Returns an identifier that is always the same for the same texts. With a time (Unix milliseconds), it sorts by it. */
export const derivedIdentifier = (kind: IdentifierKind, texts: string[], at?: number) => {
  const bytes = createHash('sha256').update(texts.join('\n')).digest();
  const random = [...bytes.subarray(0, at === undefined ? 26 : 16)].map((byte) => crockford[byte % 32]).join('');
  return `${kind}_${at === undefined ? '' : encodeTime(at)}${random}`;
};

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
