import * as z from 'zod/mini';
import { changeLog } from '../changes/change-log.ts';
import { Change, ChangeKind, changeActions, kindsOfUsers } from '../domain/changes.ts';
import { DateTime } from '../domain/date-time.ts';
import { describe, listField, textField } from '../domain/describe.ts';
import { insufficientPermissions, noSuchUser } from '../domain/errors.ts';
import { examples } from '../domain/examples.ts';
import { Identifier } from '../domain/identifiers.ts';
import { describedPage, paging } from '../domain/paging.ts';
import { hasScope } from '../http/authorize.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { users } from '../store/users.ts';
import { chooseMaker } from '../users/chosen-maker.ts';

const actions = Object.entries(changeActions).map(([name, meaning]) => `- \`${name}\`: ${meaning}`);

/** Lists who changed what of a user, newest first. */
export const listChanges = endpoint({
  name: 'listChanges',
  method: 'GET',
  path: '/changes',
  summary: 'List who changed what',
  description: `Returns the changes of what the user owns, newest first: who made them, when, how, and by which request. A change is listed within two minutes, once, and kept for the time that the deployment sets (400 days by default). Entries have no phone number and no text of anybody. The key needs the scope \`changes\`, which must be named. With the scope \`users\` it reads the kinds \`user\`, \`key\` and \`access\` of its own user and of its clients. With filters a page may have few entries, or none, and still a \`nextCursor\`.

The actions:

${actions.join('\n')}`,
  caller: { kind: 'key', scope: ['changes', 'users'], administersUsers: true },
  services: { changeLog: changeLog.for('page'), users: users.for('findClient') },
  query: z.object({
    uid: Identifier.check(
      describe('The user whose changes are listed: the one of the API key, or a client.', examples.uid),
    ),
    agentId: z.optional(
      Identifier.check(describe('Only changes of this agent and of what belongs to it.', examples.agentId)),
    ),
    kind: z.optional(ChangeKind),
    keyId: z.optional(
      textField('Only changes that this API key made, or `signature:` with a platform.', examples.keyId),
    ),
    from: z.optional(DateTime.check(describe('Only changes at or after this time.', '2026-03-01T00:00:00Z'))),
    to: z.optional(DateTime.check(describe('Only changes before this time.', '2026-04-01T00:00:00Z'))),
    ...paging,
  }),
  response: describedPage('A page of changes.', { changes: listField(Change, 'The changes, newest first.') }),
  errors: ['user_not_found'],

  async handle({ principal, query: { uid, ...query } }, { changeLog, users }) {
    const isOwn = uid === principal.uid;
    const readsAll = isOwn && hasScope(principal, 'changes');
    if (!readsAll && !hasScope(principal, 'users')) throw insufficientPermissions();
    if (!readsAll && query.kind !== undefined && !kindsOfUsers.has(query.kind)) throw insufficientPermissions();
    if (!isOwn && !(await users.findClient(chooseMaker(principal), uid))) throw noSuchUser();
    const { items, ...next } = await changeLog.page(uid, { ...query, kinds: readsAll ? undefined : kindsOfUsers });
    return { changes: items, ...next };
  },
});

export const handler = lambda(listChanges);
