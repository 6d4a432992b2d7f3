import { InvalidArgumentError } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { type ApiKey, isUsable, Scope, statusOf } from '../../functions/domain/api-keys.ts';
import { Identifier } from '../../functions/domain/identifiers.ts';
import { limits } from '../../functions/domain/limits.ts';
import { text } from '../../functions/domain/text.ts';
import type { ApiKeys, MadeApiKey } from '../../functions/store/api-keys.ts';
import { existingUser } from './existing-user.ts';
import { columns, print, record } from './output.ts';
import { examples, type Operator } from './program.ts';
import { as } from './read.ts';
import { openStores, type TableOptions } from './stores.ts';
import { duration, future } from './times.ts';
import { type KeyUsage, keyUsage } from './usage.ts';
import { UsageError } from './usage-error.ts';

export const addKeyCommands = (program: Operator) => {
  const key = program
    .command('key')
    .description('API keys, shown once and kept as a hash')
    .addHelpText('after', examples('key create --uid acme --name batch --scope calls', 'key list --uid acme'));

  key
    .command('create')
    .description('Make a key and print it, this once')
    .requiredOption('--uid <uid>', 'the user it belongs to', as(Identifier))
    .requiredOption('--name <name>', 'what it is for', as(text(1, limits.nameCharacters)))
    .option('--scope <scope...>', `what it may do: ${Scope.options.join(', ')}; everything when none is named`, scopes)
    .option('--expires <when>', 'when it ends: a date, a date-time or a length of time, such as 30d', future)
    .addHelpText(
      'after',
      examples(
        'key create --uid acme --name website',
        'key create --uid acme --name batch --scope calls --expires 30d',
        'key create --uid acme --name partner --scope agents knowledge --expires 2027-12-31',
      ),
    )
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { users, apiKeys } = await openStores(options);
      await existingUser(users, options.uid);
      const { name, scope, expires } = options;
      const made = await apiKeys.create(options.uid, { name, scopes: scope, expiresAt: expires });
      print(options, told(made), () => textOf(made));
    });

  key
    .command('list')
    .description('List a user’s keys')
    .requiredOption('--uid <uid>', 'the user they belong to', as(Identifier))
    .addHelpText('after', examples('key list --uid acme', 'key list --uid acme --json'))
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { users, apiKeys } = await openStores(options);
      await existingUser(users, options.uid);
      const keys = (await apiKeys.list(options.uid)).map((one) => ({ ...one, status: statusOf(one) }));
      print(options, { keys }, () =>
        keys.length === 0
          ? `User ${options.uid} has no keys.`
          : columns(
              keys.map((one) => [
                one.keyId,
                one.name,
                `${one.start}…`,
                scopesOf(one),
                one.createdAt,
                endOf(one),
                one.status,
              ]),
              ['KEY', 'NAME', 'START', 'SCOPES', 'CREATED', 'ENDS', 'STATUS'],
            ),
      );
    });

  key
    .command('rotate')
    .description('Replace a key: a new one of the same name and scopes, and the old one good for a while')
    .argument('<keyId>', 'the key to replace, by its id', as(Identifier))
    .requiredOption('--uid <uid>', 'the user it belongs to', as(Identifier))
    .option('--overlap <time>', 'how long the old key is still good; 0s ends it now', duration, duration('24h'))
    .option('--expires <when>', 'when the new key ends; by default when the old one would have', future)
    .addHelpText(
      'after',
      examples('key rotate --uid acme key_01KAM…', 'key rotate --uid acme key_01KAM… --overlap 7d --expires 1w'),
    )
    .action(async (keyId, _, command) => {
      const options = command.optsWithGlobals();
      const { uid } = options;
      const { apiKeys } = await openStores(options);
      const old = await existingKey(apiKeys, uid, keyId);
      if (old.revokedAt)
        throw new UsageError(`Key ${keyId} ends at ${old.revokedAt} already: it was rotated or revoked.`);
      const expiresAt = options.expires ?? old.expiresAt;
      if (!isUsable({ expiresAt }))
        throw new UsageError(`Key ${keyId} expired at ${expiresAt}: say with --expires when the new one shall end.`);
      const endsAt = new Date(Date.now() + options.overlap).toISOString();
      const made = await apiKeys.rotate(uid, keyId, { name: old.name, scopes: old.scopes, expiresAt, endsAt });
      if (!made) throw new UsageError(`Key ${keyId} was rotated or revoked meanwhile.`);
      const oldEnds = old.expiresAt && old.expiresAt < endsAt ? old.expiresAt : endsAt;
      print(options, { ...told(made), replaces: { keyId, endsAt: oldEnds } }, () => {
        const end = options.overlap === 0 ? 'has ended' : `is good until ${oldEnds}`;
        return `${textOf(made)}\n\nThe old key ${keyId} ${end}.`;
      });
    });

  key
    .command('revoke')
    .description('End a key at once')
    .argument('<keyId>', 'the key, by its id', as(Identifier))
    .requiredOption('--uid <uid>', 'the user it belongs to', as(Identifier))
    .addHelpText('after', examples('key revoke --uid acme key_01KAM…'))
    .action(async (keyId, _, command) => {
      const options = command.optsWithGlobals();
      const { apiKeys } = await openStores(options);
      await apiKeys.revoke(options.uid, keyId);
      const { revokedAt } = await existingKey(apiKeys, options.uid, keyId);
      print(options, { keyId, uid: options.uid, revokedAt }, () => `Key ${keyId} is revoked since ${revokedAt}.`);
    });

  key
    .command('usage')
    .description('Tell how often each key of a deployment was used, and when last, from its request log')
    .option('--uid <uid>', 'only the keys of this user, those that were not used too', as(Identifier))
    .option('--since <time>', 'how far back to look', duration, duration('30d'))
    .addHelpText(
      'after',
      examples('key usage --stack voice-agents-prod', 'key usage --stack voice-agents-prod --uid acme --since 7d'),
    )
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { stack, region, uid, since } = options;
      if (!stack) throw new UsageError('Name a deployment with --stack: the use of keys is read from its request log.');
      const used = await keyUsage(stack, Date.now() - since, region);
      const keys = uid ? await withUnused(options, uid, used) : used;
      print(options, { keys }, () =>
        keys.length === 0
          ? uid
            ? `User ${uid} has no keys.`
            : 'No key was used in that time.'
          : columns(
              keys.map((one) => [
                one.keyId,
                one.uid,
                one.requests,
                one.refused,
                one.failed,
                one.lastUsedAt ?? 'not in that time',
              ]),
              ['KEY', 'USER', 'REQUESTS', 'REFUSED', 'FAILED', 'LAST USED'],
            ),
      );
    });
};

const existingKey = async (apiKeys: ApiKeys, uid: string, keyId: string): Promise<ApiKey> => {
  const found = await apiKeys.find(uid, keyId);
  if (!found) throw new UsageError(`User ${uid} has no key ${keyId}.`);
  return found;
};

/** The use of one user's keys, with those that were not used. */
const withUnused = async (options: TableOptions, uid: string, used: KeyUsage[]): Promise<KeyUsage[]> => {
  const { users, apiKeys } = await openStores(options);
  await existingUser(users, uid);
  const theirs = used.filter((one) => one.uid === uid);
  const unused = (await apiKeys.list(uid)).filter(({ keyId }) => !theirs.some((one) => one.keyId === keyId));
  return [...theirs, ...unused.map(({ keyId }) => ({ keyId, uid, requests: 0, refused: 0, failed: 0 }))];
};

/** Scopes, named one by one or with commas between them. */
const scopes = (named: string, before: Scope[] = []): Scope[] => {
  const added = named.split(',').map((one) => {
    const { success, data } = z.safeParse(Scope, one.trim());
    if (!success) throw new InvalidArgumentError(`It must be one of ${Scope.options.join(', ')}.`);
    return data;
  });
  return [...new Set([...before, ...added])];
};

const told = ({ secret, ...key }: MadeApiKey) => ({ apiKey: secret, ...key });

const textOf = (made: MadeApiKey) =>
  `${made.secret}\n\nKeep it now: it is not shown again.\n\n${record({
    key: made.keyId,
    user: made.uid,
    name: made.name,
    scopes: scopesOf(made),
    ends: endOf(made),
  })}`;

const scopesOf = (key: ApiKey) => key.scopes?.join(', ') ?? 'all';

const endOf = ({ revokedAt, expiresAt }: ApiKey) => [revokedAt, expiresAt].filter(Boolean).sort()[0] ?? 'never';
