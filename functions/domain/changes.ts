import * as z from 'zod/mini';
import { type ChangeMaker, KeyName, ways } from './change-maker.ts';
import { timestamp } from './date-time.ts';
import { choiceField, component, describedObject, integerField, listField, textField } from './describe.ts';
import { examples } from './examples.ts';

/** The actions of the log of changes: a closed list. The first part of a name is the kind of what changed. */
export const changeActions = {
  'agent.created': 'An agent was created, or copied from another one.',
  'agent.updated': 'The name, the configuration, the phone number or the key of an agent was changed.',
  'agent.traffic_updated': 'The traffic of an agent was split among its versions, or is no longer.',
  'agent.deleted': 'An agent was deleted, with everything it had.',
  'access.granted': 'An agent was shared with another user, the guest.',
  'access.ended': 'The access of a guest to an agent was ended.',
  'website.created': 'A website was added to the knowledge of an agent.',
  'website.updated': 'A website was renamed, enabled or disabled, or its settings were changed.',
  'website.refreshed': 'A new crawl of a website was requested.',
  'website.deleted': 'A website was deleted.',
  'document.created': 'A document was added to the knowledge of an agent.',
  'document.updated': 'A document was renamed, enabled or disabled.',
  'document.retried': 'Another attempt to read a document was requested.',
  'document.deleted': 'A document was deleted.',
  'block_list.updated': 'Numbers were added to or removed from a block list, by one request or one outcome.',
  'consent.recorded': 'Consents or revocations were recorded, by one request or one outcome.',
  'block_list.rules_updated': 'The rules of a block list were replaced: its prefixes and its allowed numbers.',
  'import.finished': 'An import of a file has changed a block list.',
  'webhook_endpoint.created': 'A webhook endpoint was created.',
  'webhook_endpoint.updated': 'The settings of a webhook endpoint were changed, or a new secret was made.',
  'webhook_endpoint.disabled': 'The service has disabled a webhook endpoint.',
  'webhook_endpoint.deleted': 'A webhook endpoint was deleted.',
  'hook_secret.set': 'The secret of a voice platform was set.',
  'hook_secret.deleted': 'The secrets of a voice platform were deleted.',
  'platform_key.set': 'The key of a voice platform was set.',
  'platform_key.deleted': 'The key of a voice platform was deleted.',
  'key.created': 'An API key was created.',
  'key.updated': 'The name, the scopes, the expiry or the limit of an API key was changed.',
  'key.revoked': 'The end of an API key was set: at once, or after the overlap of a rotation.',
  'user.created': 'A user was created.',
  'user.updated': 'The name, the quotas or the budget of a user were changed.',
  'user.suspended': 'A user was suspended.',
  'user.resumed': 'The suspension of a user was ended.',
  'user.budget_reached': 'The calls of a user have cost 80 % or 100 % of its budget.',
  'user.deleted': 'The deletion of a user has begun.',
  'erasure.requested': 'The erasure of a person was requested.',
  'person_export.created': 'An export of the data of a person was requested.',
  'call.deleted': 'A call was deleted.',
  'call.transcript_deleted': 'The transcript of a call was deleted. The call stays.',
} as const;
export type ChangeAction = keyof typeof changeActions;
const actionNames = Object.keys(changeActions) as [ChangeAction, ...ChangeAction[]];

type KindOf<A extends string> = A extends `${infer Kind}.${string}` ? Kind : never;
export type ChangeKind = KindOf<ChangeAction>;
/** Returns the kind of what an action has changed. */
export const changeKind = (action: ChangeAction) => action.slice(0, action.indexOf('.')) as ChangeKind;
const kinds = [...new Set(actionNames.map(changeKind))] as [ChangeKind, ...ChangeKind[]];
export const ChangeKind = choiceField(
  kinds,
  'Only changes of this kind. With a key of the scope `users`: `user`, `key` or `access`.',
  'agent',
);

/** The kinds of changes that a key of the scope `users` reads. */
export const kindsOfUsers: ReadonlySet<ChangeKind> = new Set(['user', 'key', 'access']);

const count = (what: string, example: number) => z.optional(integerField(`How many ${what}.`, example, { minimum: 0 }));

export const Change = component(
  'Change',
  'A change of something that the user owns: who made it, when and how. It has no phone number, and no text of anybody.',
  z.object({
    changeId: textField('Id of the change. Ids sort by time.', 'change_01KB3R2C5D0A2C4E6G8J0M2P4R'),
    at: timestamp('When the change was made.'),
    action: choiceField(actionNames, 'What happened: the kind of what changed, and the verb.', 'agent.updated'),
    kind: choiceField(kinds, 'The kind of what changed: the first part of `action`.', 'agent'),
    id: z.optional(
      textField(
        'Id of what changed: of the agent, website, document, import, endpoint, key, user, erasure, export or call, the guest of `access`, or the platform of `hook_secret` and `platform_key`. A block list has none, and neither have consents.',
        examples.agentId,
      ),
    ),
    agentId: z.optional(textField('The agent that it belongs to.', examples.agentId)),
    uid: textField('Id of the user who made the change, such as a guest.', examples.uid),
    keyId: z.optional(
      textField(
        'Id of the API key that made the change, or `signature:` with a platform. Absent when the operator or a job did.',
        examples.keyId,
      ),
    ),
    keyName: KeyName,
    via: choiceField(
      ways,
      'How: `api`, `mcp` (an AI client), `chat` (the build chat), `operator` (the command line), `platform` (a webhook of a voice platform) or `job` (the service itself).',
      'api',
    ),
    requestId: z.optional(
      textField(
        'Id of the request that caused the change: the `x-request-id` of its response.',
        '6d2f0b1c-8a43-4e57-9f60-1b7c5d2e3a48',
      ),
    ),
    changed: z.optional(listField(z.string(), 'Names of the fields that changed.', ['name', 'configuration.greeting'])),
    counts: z.optional(
      describedObject(
        'The numbers of a block list that changed, or the consents that were recorded. The counts of a request with several entries add up.',
        {
          added: count('numbers were added', 2),
          removed: count('numbers were removed', 0),
          given: count('consents were given', 1),
          revoked: count('consents were revoked', 0),
        },
      ),
    ),
    version: z.optional(integerField('The version of the agent after the change.', 7, { minimum: 1 })),
  }),
);
export type Change = z.infer<typeof Change>;

/** A change of what a user (`owner`) owns, before it is in the log. `maker` is unknown for changes of earlier versions of the service. */
export type LoggedChange = Pick<
  Change,
  'action' | 'id' | 'agentId' | 'requestId' | 'changed' | 'counts' | 'version'
> & { maker?: ChangeMaker };
