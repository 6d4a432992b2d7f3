import * as z from 'zod/mini';
import { queueSender } from '../clients/job-queue.ts';
import { deletionResponse, textField } from '../domain/describe.ts';
import { invalidField, noSuchUser } from '../domain/errors.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import { rescueDelaySeconds } from '../domain/timeouts.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { users } from '../store/users.ts';

/** Not the client of the other examples, which must work after this one has been tried. */
const example = 'former-client';

/** Deletes a client. No key and no signature of it is accepted from the response on; its data are deleted in the background. */
export const deleteUser = endpoint({
  name: 'deleteUser',
  method: 'DELETE',
  path: '/users/{uid}',
  summary: 'Delete a user',
  description:
    'Deletes a client with everything that it owns. From the response on, no API key and no signature of it is accepted; its data are deleted in the background, and its `uid` is free when all of them are gone. A client that has clients of its own, or that the operator of the service has suspended, is deleted by the operator alone. This cannot be undone.',
  caller: { kind: 'key', scope: 'users', administersUsers: true },
  services: { users: users.for('beginDeletion', 'findClient'), jobQueue: queueSender('finishUserDeletion') },
  params: z.object({ uid: textField('Id of the client.', example) }),
  query: z.object({ confirm: z.optional(textField('The id of the client again.', example)) }),
  response: deletionResponse('the user', 'User deleted successfully'),
  errors: ['user_not_found', 'suspended_by_operator'],

  async handle({ principal, params: { uid }, query: { confirm } }, { users, jobQueue }) {
    if (confirm !== uid) throw invalidField('confirm', 'must be the `uid` of the user that is deleted');
    if (!isIdentifier(uid)) throw noSuchUser();
    const message = { job: 'finishUserDeletion', uid } as const;
    // Continues the deletion if this function or a later job dies. One that has begun has such a message.
    const isClient = (await users.findClient(principal.uid, uid)) !== undefined;
    if (isClient) await jobQueue.send({ ...message, isRescue: true }, rescueDelaySeconds);
    if (!(await users.beginDeletion(principal.uid, uid))) throw noSuchUser();
    // The user is deleted. If this message is not sent, the one before it does the work.
    await jobQueue.send(message).catch(() => {});
    return { message: 'User deleted successfully' };
  },
});

export const handler = lambda(deleteUser);
