import { monotonicFactory } from 'ulid';
import * as z from 'zod/mini';
import { documented } from './documented.ts';
import { examples } from './examples.ts';

const form = /^[A-Za-z0-9_.:-]{1,128}$/;

/** An identifier from a caller, such as `uid` or `agentId`. */
export const Identifier = z.string().check(z.regex(form, { error: 'must be 1 to 128 of A-Z a-z 0-9 _ . : -' }));

export const Uid = Identifier.check(documented('The user the API key belongs to.', examples.uid));
export const AgentId = Identifier.check(documented('The agent.', examples.agentId));

/** An agent as a path names it: of any form, since one of a wrong form is simply unknown. */
export const AgentIdInPath = z.string().check(documented('The agent.', examples.agentId));

/** Whether something could be an identifier at all; what could not is simply unknown. */
export const isIdentifier = (value: string) => form.test(value);

export type IdentifierKind = 'agent' | 'web' | 'doc' | 'key';

/** Without a prefix: 26 characters that sort by the time they were made, also within one millisecond. */
export const newUlid = monotonicFactory();

/** An identifier we make: prefixed, and sortable by time. */
export const newIdentifier = (kind: IdentifierKind, ulid = newUlid()) => `${kind}_${ulid}`;
