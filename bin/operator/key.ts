import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { type ApiKey, isUsable, Scope, statusOf } from '../../functions/domain/api-keys.ts';
import { Identifier } from '../../functions/domain/identifiers.ts';
import { limits } from '../../functions/domain/limits.ts';
import { text } from '../../functions/domain/text.ts';
import type { ApiKeys, MadeApiKey } from '../../functions/store/api-keys.ts';
import { as } from '../command-line/arguments.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { columns, print, record, say } from '../command-line/output.ts';
import { duration, future } from '../command-line/times.ts';
import { existingUser } from './existing-user.ts';
import { examples, type Operator } from './program.ts';
import { type GlobalOptions, openStores } from './stores.ts';
import { type KeyUsage, keyUsage } from './usage.ts';

const KeyName = text(1, limits.nameCharacters);

export const addKeyCommands = (program: Operator) => {
  const key = program.command('key').description('API keys, which are shown once and stored as a hash');

  key
    .command('create')
    .description('Create a key and print it')
    .requiredOption('--uid <uid>', 'the user of the key', as(Identifier))
    .requiredOption('--name <name>', 'what the key is for', as(KeyName))
    .option(
      '--scope <scope...>',
      `what the key may do: ${Scope.options.join(', ')} (default: all but privacy)`,
      toScopes,
    )
    .option('--expires <when>', 'a date, a date-time or a duration such as 30d (default: never)', future)
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
      const created = await apiKeys.create(options.uid, { name, scopes: scope, expiresAt: expires });
      print(options, withSecret(created), () => describeCreated(created));
    });

  key
    .command('list')
    .description('List the keys of a user')
    .requiredOption('--uid <uid>', 'the user', as(Identifier))
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
                expiryOf(one),
                one.status,
              ]),
              ['KEY', 'NAME', 'START', 'SCOPES', 'CREATED', 'EXPIRES', 'STATUS'],
            ),
      );
    });

  key
    .command('show')
    .description('Show a key, without its secret')
    .argument('<keyId>', 'the id of the key', as(Identifier))
    .requiredOption('--uid <uid>', 'the user of the key', as(Identifier))
    .addHelpText('after', examples('key show --uid acme key_01KAM…'))
    .action(async (keyId, _, command) => {
      const options = command.optsWithGlobals();
      const { apiKeys } = await openStores(options);
      const found = await existingKey(apiKeys, options.uid, keyId);
      const status = statusOf(found);
      print(options, { ...found, status }, () => describeKey(found));
    });

  key
    .command('update')
    .description('Change the name, scopes or expiry of a key')
    .argument('<keyId>', 'the id of the key', as(Identifier))
    .requiredOption('--uid <uid>', 'the user of the key', as(Identifier))
    .option('--name <name>', 'what the key is for', as(KeyName))
    .option('--scope <scope...>', `what the key may do from now on: ${Scope.options.join(', ')}`, toScopes)
    .option('--expires <when>', 'a date, a date-time or a duration such as 30d', future)
    .addHelpText(
      'after',
      examples('key update --uid acme key_01KAM… --scope calls', 'key update --uid acme key_01KAM… --expires 7d'),
    )
    .action(async (keyId, _, command) => {
      const options = command.optsWithGlobals();
      const { uid, name, scope, expires } = options;
      if (name === undefined && scope === undefined && expires === undefined) {
        throw new CommandError('Nothing to change. Use --name, --scope or --expires.', exitCodes.usage);
      }
      const { apiKeys } = await openStores(options);
      const change = { name, scopes: scope, expiresAt: expires };
      const updated = await apiKeys.change(uid, keyId, change);
      if (!updated) throw noSuchKey(uid, keyId);
      print(options, { ...updated, status: statusOf(updated) }, () => describeKey(updated));
    });

  key
    .command('rotate')
    .description('Replace a key by one with the same name and scopes; the old one stays valid for the overlap period')
    .argument('<keyId>', 'the id of the old key', as(Identifier))
    .requiredOption('--uid <uid>', 'the user of the key', as(Identifier))
    .addOption(
      new Option('--overlap <duration>', 'how long the old key stays valid, such as 7d; 0s revokes it at once')
        .argParser(duration)
        .default(duration('24h'), '24h'),
    )
    .option('--expires <when>', 'when the new key expires (default: when the old one does)', future)
    .addHelpText(
      'after',
      examples('key rotate --uid acme key_01KAM…', 'key rotate --uid acme key_01KAM… --overlap 7d --expires 52w'),
    )
    .action(async (keyId, _, command) => {
      const options = command.optsWithGlobals();
      const { uid } = options;
      const { apiKeys } = await openStores(options);
      const old = await existingKey(apiKeys, uid, keyId);
      if (old.revokedAt) throw new CommandError(`Key ${keyId} is already rotated or revoked (${old.revokedAt}).`);
      const expiresAt = options.expires ?? old.expiresAt;
      if (!isUsable({ expiresAt })) {
        throw new CommandError(`Key ${keyId} expired at ${expiresAt}. Give the new key an expiry with --expires.`);
      }
      const endsAt = new Date(Date.now() + options.overlap).toISOString();
      const created = await apiKeys.rotate(uid, keyId, { name: old.name, scopes: old.scopes, expiresAt, endsAt });
      if (!created) throw new CommandError(`Key ${keyId} was rotated or revoked in the meantime.`);
      const oldEnds = old.expiresAt && old.expiresAt < endsAt ? old.expiresAt : endsAt;
      print(options, { ...withSecret(created), replaces: { keyId, endsAt: oldEnds } }, () => {
        const end = options.overlap === 0 ? 'is revoked' : `stays valid until ${oldEnds}`;
        return `${describeCreated(created)}\n\nThe old key ${keyId} ${end}.`;
      });
    });

  key
    .command('revoke')
    .description('Revoke a key at once')
    .argument('<keyId>', 'the id of the key', as(Identifier))
    .requiredOption('--uid <uid>', 'the user of the key', as(Identifier))
    .addHelpText('after', examples('key revoke --uid acme key_01KAM…'))
    .action(async (keyId, _, command) => {
      const options = command.optsWithGlobals();
      const { apiKeys } = await openStores(options);
      await apiKeys.revoke(options.uid, keyId);
      const { revokedAt } = await existingKey(apiKeys, options.uid, keyId);
      print(options, { keyId, uid: options.uid, revokedAt }, () => `Key ${keyId} is revoked (${revokedAt}).`);
    });

  key
    .command('delete')
    .description('Delete the record of a key that is revoked or expired')
    .argument('<keyId>', 'the id of the key', as(Identifier))
    .requiredOption('--uid <uid>', 'the user of the key', as(Identifier))
    .option('--yes', 'do it; without this option, the key is only shown')
    .addHelpText('after', examples('key delete --uid acme key_01KAM… --yes'))
    .action(async (keyId, _, command) => {
      const options = command.optsWithGlobals();
      const { uid, yes = false } = options;
      const { apiKeys } = await openStores(options);
      const found = await existingKey(apiKeys, uid, keyId);
      if (isUsable(found)) throw new CommandError(`Key ${keyId} is still valid. Revoke it first with "key revoke".`);
      if (yes) await apiKeys.delete(uid, keyId);
      print(options, { keyId, uid, deleted: yes }, () => (yes ? `Key ${keyId} deleted.` : describeKey(found)));
      if (!yes) say('Nothing was deleted. Add --yes to delete it.');
    });

  key
    .command('usage')
    .description('Show how often and when the keys of a deployment were used, from its request log')
    .option('--uid <uid>', 'only the keys of this user, including unused ones', as(Identifier))
    .addOption(
      new Option('--since <duration>', 'how far to look back, such as 7d')
        .argParser(duration)
        .default(duration('30d'), '30d'),
    )
    .addHelpText(
      'after',
      examples('key usage --stack voice-agents-prod', 'key usage --stack voice-agents-prod --uid acme --since 7d'),
    )
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { stack, region, uid, since } = options;
      if (!stack) throw new CommandError('--stack is required: usage is read from its request log.', exitCodes.usage);
      const used = await keyUsage(stack, Date.now() - since, region);
      const keys = uid ? await withUnused(options, uid, used) : used;
      print(options, { keys }, () =>
        keys.length === 0
          ? uid
            ? `User ${uid} has no keys.`
            : 'No key was used in this period.'
          : columns(
              keys.map((one) => [
                one.keyId,
                one.uid,
                one.requests,
                one.refused,
                one.failed,
                one.lastUsedAt ?? 'not in this period',
              ]),
              ['KEY', 'USER', 'REQUESTS', 'REJECTED', 'FAILED', 'LAST USED'],
            ),
      );
    });
};

const existingKey = async (apiKeys: ApiKeys, uid: string, keyId: string): Promise<ApiKey> => {
  const found = await apiKeys.find(uid, keyId);
  if (!found) throw noSuchKey(uid, keyId);
  return found;
};

const noSuchKey = (uid: string, keyId: string) => new CommandError(`User ${uid} has no key ${keyId}.`);

/** The usage of one user's keys, including those that were not used. */
const withUnused = async (options: GlobalOptions, uid: string, used: KeyUsage[]): Promise<KeyUsage[]> => {
  const { users, apiKeys } = await openStores(options);
  await existingUser(users, uid);
  const theirs = used.filter((one) => one.uid === uid);
  const unused = (await apiKeys.list(uid)).filter(({ keyId }) => !theirs.some((one) => one.keyId === keyId));
  return [...theirs, ...unused.map(({ keyId }) => ({ keyId, uid, requests: 0, refused: 0, failed: 0 }))];
};

/** Scopes, as separate arguments or separated by commas. */
function toScopes(named: string, before: Scope[] = []): Scope[] {
  const added = named.split(',').map((one) => {
    const { success, data } = z.safeParse(Scope, one.trim());
    if (!success) throw new InvalidArgumentError(`It must be one of ${Scope.options.join(', ')}.`);
    return data;
  });
  return [...new Set([...before, ...added])];
}

const withSecret = ({ secret, ...key }: MadeApiKey) => ({ apiKey: secret, ...key });

const describeCreated = (created: MadeApiKey) =>
  `${created.secret}\n\nStore this key now: it is not shown again.\n\n${describeKey(created)}`;

const describeKey = (key: ApiKey) =>
  record({
    key: key.keyId,
    user: key.uid,
    name: key.name,
    scopes: scopesOf(key),
    created: key.createdAt,
    expires: expiryOf(key),
    status: statusOf(key),
  });

const scopesOf = (key: ApiKey) => key.scopes?.join(', ') ?? 'all';

/** When a key stops to be valid, by revocation or expiry. */
const expiryOf = ({ revokedAt, expiresAt }: ApiKey) => [revokedAt, expiresAt].filter(Boolean).sort()[0] ?? 'never';
