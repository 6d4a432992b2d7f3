import * as z from 'zod/mini';
import { Budget, GivenBudget } from './budgets.ts';
import { timestamp } from './date-time.ts';
import { describe, describedObject, flagField, objectComponent, textField } from './describe.ts';
import { examples } from './examples.ts';
import { Identifier } from './identifiers.ts';
import { limits } from './limits.ts';
import { text } from './text.ts';

export const UserName = text(1, limits.nameCharacters).check(describe('A name for people.', 'Acme Inc.'));
/** A malformed id in a path is an unknown user, not an invalid request. */
export const ClientUidInPath = textField('Id of the client.', examples.clientUid);

/** The owner of an agent: the caller's own user, or a client. */
export const UidOfOwner = Identifier.check(
  describe('The owner of the agent: the user of the API key, or one of its clients.', examples.uid),
);

type Maker = { uid: string; maker?: string };

/** Checks that the owner of an agent may share it with a user: the same user created both, or one of them created the other. */
export const mayShare = (owner: Maker, guest: Maker): boolean =>
  owner.uid !== guest.uid &&
  ((owner.maker !== undefined && owner.maker === guest.maker) ||
    owner.maker === guest.uid ||
    guest.maker === owner.uid);

const quota = (description: string, example: number) =>
  z.int().check(z.minimum(0), describe(description, example, { minimum: 0 }));
const quotas = {
  agents: quota('Maximum number of agents.', 5),
  sources: quota('Maximum number of websites and documents of each agent, together.', 100),
};

/** Quotas as they are given. They are at most those of the deployment, which hold where none is given. */
export const GivenQuotas = z
  .object({ agents: z.optional(quotas.agents), sources: z.optional(quotas.sources) })
  .check(describe('Quotas below those of the deployment, which hold where none is given.', { agents: 5 }));
export type GivenQuotas = z.infer<typeof GivenQuotas>;

export const NewUser = z.object({
  uid: z.optional(Identifier.check(describe('Id of your choice. Default: one is made.', examples.clientUid))),
  name: z.optional(UserName),
  quotas: z.optional(GivenQuotas),
  budget: z.optional(GivenBudget),
});

export const UserChange = z.object({
  name: z.optional(UserName),
  quotas: z.optional(GivenQuotas),
  budget: z.optional(GivenBudget),
  suspended: z.optional(flagField('Whether every request of the user is refused, until it is set to `false`.', true)),
});

export const User = objectComponent('User', 'A user that the user of the API key created: a client.', {
  uid: textField('Id of the user.', examples.clientUid),
  name: z.optional(textField('A name for people.', 'Acme Inc.')),
  createdAt: timestamp('When the user was created.'),
  maker: z.optional(
    textField('Id of the user that created it. Absent: the operator of the service did.', examples.uid),
  ),
  suspended: flagField('Whether every request of the user is refused.', false),
  quotas: describedObject('The quotas that hold.', quotas),
  budget: z.optional(Budget),
  agents: z.int().check(z.minimum(0), describe('How many agents the user owns.', 2, { minimum: 0 })),
});
export type User = z.infer<typeof User>;
