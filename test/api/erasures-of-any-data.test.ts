import fc from 'fast-check';
import { expect } from 'vitest';
import { blockListImports, type ImportRecord } from '../../functions/block-list-import/block-list-imports.ts';
import { callAttempts } from '../../functions/calling/call-attempts.ts';
import { importFailure } from '../../functions/domain/block-list-imports.ts';
import type { Consent } from '../../functions/domain/consents.ts';
import { now } from '../../functions/domain/date-time.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { listForms } from '../../functions/domain/number-forms.ts';
import { readServices } from '../../functions/erasure/person-kinds.ts';
import { readPerson } from '../../functions/person-exports/run-person-export.ts';
import { lazyServices } from '../../functions/service.ts';
import { agentSharing } from '../../functions/store/agents/agent-sharing.ts';
import {
  type BlockListOwner,
  blockedNumberKey,
  blockListRulesKey,
  consentRecordKey,
  consentsKey,
  type ItemKey,
} from '../../functions/store/keys.ts';
import { webhookEvents } from '../../functions/webhooks/webhook-events.ts';
import { itInAnyHistory } from '../support/any-history.ts';
import { ended, newAgent, newPerson, other, privateWorld, readStatus, request } from '../support/erasures.ts';
import { findEverything, findStored } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { newEndpoint, newReceiver } from '../support/webhooks.ts';
import { newWorld, unique, type World } from '../support/world.ts';

/** The list of the user, or of one of two agents. */
const owner = fc.constantFrom('user' as const, 0 as const, 1 as const);
type Owner = 'user' | 0 | 1;
const agent = fc.constantFrom(0 as const, 1 as const);
/** Which form of the number: today’s or the former one. */
const form = fc.constantFrom(0 as const, 1 as const);
const reason = fc.constantFrom(undefined, 'asked not to be called');

const call = fc.record({ agent, form, hasTranscript: fc.boolean(), hasDetails: fc.boolean(), isKeyed: fc.boolean() });
const entry = fc.record({ owner, form, reason, isRemoved: fc.boolean(), isKeyed: fc.boolean() });
const rule = fc.record({ owner, form, kind: fc.constantFrom('allow' as const, 'prefix' as const), reason });
const consent = fc.record({
  form,
  purpose: fc.constantFrom('marketing', 'service'),
  state: fc.constantFrom('given' as const, 'revoked' as const),
  seller: fc.constantFrom(undefined, 'Dental'),
  text: fc.constantFrom(undefined, 'I agree.'),
});
const uniquely = <T>(one: fc.Arbitrary<T>, selector: (one: T) => string) =>
  fc.uniqueArray(one, { selector, maxLength: 4 });

const anyData = fc.record({
  hasTwoForms: fc.boolean(),
  calls: fc.array(call, { maxLength: 4 }),
  entries: uniquely(entry, (one) => `${one.owner} ${one.form}`),
  rules: uniquely(rule, (one) => `${one.owner} ${one.form} ${one.kind}`),
  consents: uniquely(consent, ({ form, purpose, state }) => `${form} ${purpose} ${state}`),
  attempts: fc.uniqueArray(agent),
  reports: fc.array(fc.record({ form, isUnderWay: fc.boolean() }), { maxLength: 2 }),
  /** Events of entries that have expired since. */
  events: fc.array(fc.record({ owner, form }), { maxLength: 2 }),
  hasVersion: fc.boolean(),
  hasEndpoint: fc.boolean(),
  isExported: fc.boolean(),
  mode: fc.constantFrom('keep' as const, 'remove' as const),
  isEverything: fc.constant<boolean>(false),
});
type Data = typeof anyData extends fc.Arbitrary<infer D> ? D : never;

const isFirst = (one: { form: 0 | 1 }) => one.form === 0;
const data = anyData.map((one) => {
  if (one.hasTwoForms) return one;
  const { calls, entries, rules, consents, reports, events } = one;
  return {
    ...{ ...one, calls: calls.filter(isFirst), entries: entries.filter(isFirst), rules: rules.filter(isFirst) },
    ...{ consents: consents.filter(isFirst), reports: reports.filter(isFirst), events: events.filter(isFirst) },
  };
});

/** A person with data of every kind. */
const everything = (mode: 'keep' | 'remove'): Data => ({
  ...{ hasTwoForms: true, attempts: [0, 1], hasVersion: true, hasEndpoint: true, isExported: true, mode },
  events: [
    { owner: 'user', form: 0 },
    { owner: 0, form: 1 },
  ],
  isEverything: true,
  calls: ([0, 1] as const).map((index) => ({
    ...{ agent: index, form: index, hasTranscript: true, hasDetails: true, isKeyed: true },
  })),
  entries: (['user', 0, 1] as const).map((one, index) => ({
    ...{ owner: one, form: (index % 2) as 0, reason: 'asked not to be called', isRemoved: one === 1, isKeyed: true },
  })),
  rules: [
    { owner: 'user', form: 1, kind: 'allow', reason: undefined },
    { owner: 0, form: 0, kind: 'prefix', reason: 'asked not to be called' },
  ],
  consents: (['given', 'revoked'] as const).map((state, index) => ({
    ...{ form: index as 0, purpose: 'marketing', state, seller: 'Dental', text: 'I agree.' },
  })),
  reports: [
    { form: 0, isUnderWay: false },
    { form: 1, isUnderWay: true },
  ],
});
/** The kinds of items that hold the number of such a person. */
const kindsOfItems = {
  call: /^AGENT#[^#]+#CALL#/,
  'call by phone': /#PHONE#/,
  'call in a history': /#HISTORY#/,
  transcript: /#TRANSCRIPTS /,
  'blocked number': /#BLOCKED#/,
  rules: /#RULES /,
  'record of a consent': /#CONSENTS#\d+ \+/,
  'consents of a person': /#CONSENTS#\d+ PERSON#/,
  attempts: /#ATTEMPTS /,
  import: / IMPORT#/,
  response: /^IDEMPOTENCY#/,
  event: / EVENT#/,
  version: / CONTENT#/,
};

const at = '2026-03-01T10:00:00.000Z';

/** A person of a user with two agents, to whom another user has shared a third one. */
class Person {
  readonly #data: Data;
  readonly world: World;
  readonly #agentIds: readonly string[];
  /** What both forms of the number have in common. */
  readonly digits = `2${newPerson().slice(-9)}`;
  readonly #forms: string[];
  /** Imports that end after the erasure was requested. */
  readonly #underWay: ImportRecord[] = [];
  #foreign?: World;

  private constructor(data: Data, world: World, agentIds: readonly string[]) {
    this.#data = data;
    this.world = world;
    this.#agentIds = agentIds;
    this.#forms = listForms(`${data.hasTwoForms ? '+52' : '+4915'}${this.digits}`);
  }

  static async create(data: Data): Promise<Person> {
    const world = await privateWorld();
    const person = new Person(data, world, [world.agentId, await newAgent(world)]);
    await person.#fill();
    return person;
  }

  form(one: 0 | 1): string {
    return this.#forms[one] ?? (this.#forms[0] as string);
  }

  #agentId(one: 0 | 1) {
    return this.#agentIds[one] as string;
  }

  #toOwner(one: Owner): BlockListOwner {
    return one === 'user' ? { uid: this.world.uid } : { agentId: this.#agentId(one) };
  }

  #list(one: Owner): { scope: string; agentId?: string } {
    return one === 'user' ? { scope: 'user' } : { scope: 'agent', agentId: this.#agentId(one) };
  }

  async #send(method: string, path: string, body: object, isKeyed = false) {
    const headers = isKeyed ? { 'idempotency-key': unique('key') } : undefined;
    const answer = await this.world.call(method, path, { body: { uid: this.world.uid, ...body }, headers });
    if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer.body;
  }

  /** Records all data, beside those of others. */
  async #fill(): Promise<void> {
    const { calls, entries, rules, consents, attempts, reports, events, hasVersion, hasEndpoint } = this.#data;
    const { uid, keyId } = this.world;
    if (hasEndpoint) await newEndpoint(this.world, (await newReceiver({ status: 500 })).url, { events: ['*'] });
    // One in ten numbers has the form of a card.
    const configuration = { transcripts: { keepDays: 30, redact: [] }, callerHistory: { summaries: true } };
    for (const agentId of this.#agentIds) {
      await this.#configure(agentId, { ...configuration, transferTo: hasVersion ? this.form(0) : undefined });
      // The next version lacks it.
      await this.#configure(agentId, { transferTo: null });
    }
    for (const [index, one] of calls.entries()) {
      const [phone, details] = [this.form(one.form), { summary: `Call ${this.form(one.form)} again.` }];
      await this.#record(one.agent, `call-${index}`, phone, {
        details: one.hasDetails ? details : undefined,
        transcript: one.hasTranscript ? [{ role: 'caller', text: `I am ${phone}.` }] : undefined,
      });
      const path = `/calls/${this.#agentId(one.agent)}/${encodeURIComponent(phone)}`;
      if (one.isKeyed) await this.#send('PATCH', path, { custom_call_outcome: 'booked' }, true);
    }
    await this.#record(0, 'other', other);
    // A deletion takes both forms out of a list.
    for (const one of entries.toSorted((a, b) => Number(b.isRemoved) - Number(a.isRemoved))) {
      const body = { ...this.#listBody(one.owner), numbers: [this.form(one.form), other] };
      const path = one.owner === 'user' ? '/block-list' : '/agent-block-list';
      await this.#send('POST', path, { ...body, reason: one.reason }, one.isKeyed);
      if (one.isRemoved) await this.#send('DELETE', path, { ...body, numbers: [this.form(one.form)] });
    }
    for (const [one, some] of Map.groupBy(rules, (rule) => rule.owner)) {
      const [allowed, blocked] = [
        some.filter(({ kind }) => kind === 'allow'),
        some.filter(({ kind }) => kind !== 'allow'),
      ];
      await this.#send('PUT', '/block-list-rules', {
        ...this.#listBody(one),
        allow: [...allowed.map((rule) => this.form(rule.form)), other],
        prefixes: [
          ...blocked.map((rule) => ({ prefix: this.form(rule.form), reason: rule.reason })),
          { prefix: '+8838' },
        ],
      });
    }
    const sent = consents.map(({ form, purpose, state, seller, text }) => ({
      ...{ number: this.form(form), purpose, state, at, seller, proof: text && { channel: 'web', text } },
    }));
    const others = [{ number: other, purpose: 'marketing', state: 'given', at }];
    await this.#send('POST', '/consents', { consents: [...sent, ...others] }, true);
    for (const one of attempts) {
      const [agentId, number, rules] = [this.#agentId(one), this.form(1), { attempts: [{ max: 3, hours: 24 }] }];
      const found = await callAttempts.get().find(agentId, number);
      await callAttempts.get().add(agentId, number, { callId: 'attempt', at: Date.parse(now()) }, found, rules);
    }
    for (const { form, isUnderWay } of reports) {
      const imports = blockListImports.get();
      const reference = { uid, importId: newIdentifier('import') };
      const agentId = isUnderWay ? this.#agentId(0) : this.#agentId(1);
      await imports.add({ ...reference, keyId, agentId, mode: 'add' });
      const begun = await imports.begin((await imports.find(reference)) as ImportRecord, 'etag');
      // Another import of the list runs.
      if (begun === 'busy' || !begun) continue;
      const failures = [this.form(form), other].map((number, line) =>
        importFailure(line, number, 'invalid_expires_at'),
      );
      const advanced = (await imports.advance(begun, { failures, failed: 2 })) as ImportRecord;
      if (isUnderWay) this.#underWay.push(advanced);
      else await imports.finish(advanced);
    }
    const gone = events.map(({ owner, form }) => ({
      ...{ subject: this.#toOwner(owner), eventId: newIdentifier('event'), details: {} },
      numbers: { added: [this.form(form)], removed: [], counts: { added: 1, removed: 0 } },
    }));
    await webhookEvents.get().addAll(gone, Number.POSITIVE_INFINITY);
    await this.#fillForeignAgent();
  }

  /** Another user has a call and an entry of the person, at an agent that this user may use. */
  async #fillForeignAgent() {
    const foreign = await newWorld();
    await agentSharing.get().share(foreign.agentId, foreign.uid, this.world.uid);
    await foreign.recordCall('foreign', { phone: this.form(0) });
    await foreign.block([this.form(1)]);
    this.#foreign = foreign;
  }

  #listBody(one: Owner) {
    return one === 'user' ? {} : { agentId: this.#agentId(one) };
  }

  #configure(agentId: string, configuration: object) {
    return this.#send('PATCH', `/agents/${agentId}`, { configuration });
  }

  #record(one: 0 | 1, callId: string, phone: string, more: object = {}) {
    const facts = { phone, direction: 'inbound', startedAt: now(), ...more };
    return this.#send('PUT', `/calls/${this.#agentId(one)}/${callId}`, facts);
  }

  get hasImport() {
    return this.#underWay.length > 0;
  }

  async endImports(): Promise<void> {
    for (const one of this.#underWay) await blockListImports.get().finish(one);
  }

  /** Returns what an export has, and what of it an erasure leaves, a line of text for each. */
  describe(): { exported: string[]; left: string[] } {
    const { calls, entries, rules, consents, attempts, mode } = this.#data;
    const isKept = mode === 'keep';
    const name = (one: Owner) => JSON.stringify(this.#list(one));
    const blocking = entries.filter(({ isRemoved }) => !isRemoved);
    const listEntries = (isLeft: boolean) =>
      blocking.map((one) =>
        spell('blocked_number', name(one.owner), this.form(one.form), isLeft ? undefined : one.reason),
      );
    const prefixes = (isLeft: boolean) =>
      rules
        .filter(({ kind }) => kind === 'prefix')
        .map((one) => spell('rule', name(one.owner), this.form(one.form), isLeft ? undefined : one.reason));
    const listConsents = (some: typeof consents, isLeft: boolean) =>
      some.map(({ form, purpose, state, seller, text }) =>
        spell('consent', this.form(form), purpose, state, ...(isLeft ? [] : [seller, text])),
      );
    const all = [
      ...calls.map((one, index) =>
        spell(
          'call',
          this.#agentId(one.agent),
          `call-${index}`,
          this.form(one.form),
          one.hasDetails,
          one.isKeyed ? 'booked' : undefined,
        ),
      ),
      ...calls.flatMap((one, index) =>
        one.hasTranscript
          ? [spell('transcript', this.#agentId(one.agent), `call-${index}`, `I am ${this.form(one.form)}.`)]
          : [],
      ),
      ...listEntries(false),
      ...rules.filter(({ kind }) => kind === 'allow').map((one) => spell('rule', name(one.owner), this.form(one.form))),
      ...prefixes(false),
      ...listConsents(consents, false),
      ...attempts.map((one) => spell('attempt', this.#agentId(one), this.form(0), 'attempt')),
    ];
    const revoked = consents.filter(({ state }) => state === 'revoked');
    const left = isKept ? [...listEntries(true), ...prefixes(true), ...listConsents(revoked, true)] : [];
    return { exported: all.sort(), left: left.sort() };
  }

  /** Returns an export as lines of text. */
  async readExport(): Promise<string[]> {
    const { content } = await readPerson(this.world.uid, this.form(1), lazyServices(readServices));
    expect(content.includes(other)).toBe(false);
    const lines = content.toString().split('\n').filter(Boolean);
    return lines.map((line) => spellLine(JSON.parse(line))).sort();
  }

  readOthers() {
    return readPerson(this.world.uid, other, lazyServices(readServices));
  }

  /** Returns the keys of the items that hold the number after an erasure, beside those of texts and other users. */
  async listKeptKeys(): Promise<string[]> {
    const { entries, rules, consents: sent, mode } = this.#data;
    if (mode === 'remove') return [];
    const query = { uid: this.world.uid, number: this.form(0) };
    const { consents } = (await this.world.call('GET', '/consents', { query })).body;
    // The first one is in the item of the person.
    const [first] = sent.map((one) => spell(this.form(one.form), one.purpose, one.state));
    const further = consents.filter(({ number, purpose, state }: Consent) => spell(number, purpose, state) !== first);
    const keys = [
      ...entries
        .filter(({ isRemoved }) => !isRemoved)
        .map((one) => blockedNumberKey(this.#toOwner(one.owner), this.form(one.form))),
      ...rules.filter(({ kind }) => kind === 'prefix').map((one) => blockListRulesKey(this.#toOwner(one.owner))),
      ...further.map((one: Consent) => consentRecordKey(this.world.uid, one.number, one)),
      ...(consents.length > 0 ? [consentsKey(this.world.uid, this.form(0))] : []),
    ];
    return [...new Set(keys.map(({ pk, sk }: ItemKey) => `${pk} ${sk}`))].sort();
  }

  /** Returns the keys of the items and files that hold the number: those of this user’s data, and the others. */
  async findKeys(find = findStored): Promise<{ own: string[]; outside: string[] }> {
    const keys = await find(this.digits);
    const { uid = '', agentId = '' } = this.#foreign ?? {};
    const isOutside = (key: string) => key.includes(uid) || key.includes(agentId) || kindsOfItems.version.test(key);
    return { own: keys.filter((key) => !isOutside(key)), outside: keys.filter(isOutside) };
  }
}

const spell = (...parts: unknown[]) => JSON.stringify(parts.filter((part) => part !== undefined));

// biome-ignore lint/suspicious/noExplicitAny: a line has the data of its kind
const spellLine = ({ kind, data }: { kind: string; data: any }): string => {
  const { scope, agentId } = data;
  const list = JSON.stringify({ scope, agentId });
  const spellers: Record<string, () => string> = {
    call: () => spell(kind, agentId, data.callId, data.phone, data.details !== undefined, data.custom_call_outcome),
    transcript: () => spell(kind, agentId, data.call_id, data.turns[0].text),
    blocked_number: () => spell(kind, list, data.number, data.reason),
    rule: () => spell(kind, list, data.allow ?? data.prefix, data.reason),
    consent: () => spell(kind, data.number, data.purpose, data.state, data.seller, data.proof?.text),
    attempt: () => spell(kind, agentId, data.number, data.callId),
  };
  return spellers[kind]?.() ?? kind;
};

const checkPerson = async (data: Data) => {
  const person = await Person.create(data);
  const { world } = person;
  const { exported, left } = person.describe();
  expect(await person.readExport()).toEqual(exported);
  const others = await person.readOthers();
  const before = await until(async () => {
    const found = await person.findKeys();
    const keys = [...found.own, ...found.outside];
    const missing = Object.entries(kindsOfItems).filter(([, pattern]) => !keys.some((key) => pattern.test(key)));
    return (!data.isEverything || missing.length === 0) && found;
  });
  const body = { uid: world.uid, number: person.form(0) };
  const made = data.isExported && (await world.call('POST', '/person-exports', { body })).body.exportId;
  const getExport = () => world.call('GET', `/person-exports/${made}`, { query: { uid: world.uid } });
  if (made) await until(async () => (await getExport()).body.status === 'done');

  const { erasureId } = (await request(world, person.form(1), { blockList: data.mode })).body;
  if (person.hasImport) {
    await until(async () => (await readStatus(world, erasureId)).status === 'running');
    await person.endImports();
  }
  expect((await ended(world, erasureId)).status).toBe('done');

  expect(await person.readExport()).toEqual(left);
  expect(await person.readOthers()).toEqual(others);
  const kept = await person.listKeptKeys();
  // The stream takes the number out of events a moment later.
  await expect.poll(async () => (await person.findKeys()).own).toEqual(kept);
  const after = await person.findKeys(findEverything);
  expect(after.own.join('\n')).toBe(kept.join('\n'));
  // Events of others may still arrive.
  expect(after.outside).toEqual(expect.arrayContaining(before.outside));
  if (made) expect((await getExport()).status).toBe(404);
};

itInAnyHistory(
  'an export has what an erasure erases, and an erasure leaves nothing else of a person, whatever there is of them',
  [1, 20],
  (runs) =>
    fc.assert(fc.asyncProperty(data, checkPerson), {
      ...{ numRuns: runs, endOnFailure: true },
      examples: [[everything('remove')], [everything('keep')]],
    }),
);
