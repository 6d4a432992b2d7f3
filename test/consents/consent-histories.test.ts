import * as fc from 'fast-check';
import { expect } from 'vitest';
import { Consents } from '../../functions/consents/consents.ts';
import { decideConsent, requireConsent } from '../../functions/domain/consent-decisions.ts';
import type { Consent, NewConsent } from '../../functions/domain/consents.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { erasures } from '../../functions/erasure/erasures.ts';
import { table } from '../../functions/store/table.ts';
import { itInAnyHistory } from '../support/any-history.ts';
import { openFaultyTable, tenPercent } from '../support/faults.ts';
import { Death, mortal } from '../support/mortal.ts';
import { untilAnswered } from '../support/until.ts';
import { unique, useTargetInThisProcess } from '../support/world.ts';

useTargetInThisProcess();

const people = [['+525512345678', '+5215512345678'], ['+14155550100']];
const purposes = ['marketing', 'service'];
const makeTime = (hour: number) => new Date(Date.UTC(2026, 2, 1, hour)).toISOString();

const consent: fc.Arbitrary<NewConsent> = fc
  .record({
    number: fc.constantFrom(...people.flat()),
    purpose: fc.constantFrom(...purposes, '*'),
    isGiven: fc.boolean(),
    hour: fc.nat(6),
    hours: fc.option(fc.integer({ min: 1, max: 4 })),
    seller: fc.constantFrom(undefined, 'Dental'),
    // The item of the person has no room for the last one.
    proof: fc.constantFrom(
      undefined,
      ...['I agree.', 'x'.repeat(2000)].map((text) => ({ channel: 'web' as const, text })),
    ),
  })
  .map(({ number, purpose, isGiven, hour, hours, seller, proof }) => {
    const state = isGiven && purpose !== '*' ? 'given' : 'revoked';
    const expiresAt = state === 'given' && hours !== null ? makeTime(hour + hours) : undefined;
    return { number, purpose, state, at: makeTime(hour), expiresAt, seller, proof };
  });

/** The call of the table at which a process dies, before or after what it does; none of so many. */
const death = fc.record({ at: fc.nat(16), isAfter: fc.boolean() });
const action = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      verb: fc.constant('record' as const),
      sent: fc.array(consent, { minLength: 1, maxLength: 6 }),
      death,
      isRepeated: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      verb: fc.constant('erase' as const),
      person: fc.nat(people.length - 1),
      form: fc.nat(1),
      mode: fc.constantFrom('keep' as const, 'remove' as const),
      death,
    }),
  },
);
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;
/** One action, or two at the same time. */
const step = fc.array(action, { minLength: 1, maxLength: 2 });

/** The records of a person, by what was sent; true for a revocation that an erasure kept without its seller and its proof. */
type Model = Map<string, boolean>;
/** What an action did: whether its process died for good, and how many records it erased. */
type Done = { isLost: boolean; erased?: number };

const spellConsent = ({ number, purpose, state, at, expiresAt, seller, proof }: NewConsent) =>
  JSON.stringify([number, purpose, state, at, expiresAt, seller, proof?.channel, proof?.text]);
/** Returns what a list shows of the records of a model. */
const show = (model: Model): string =>
  [...model]
    .map(([text, isErased]) => (isErased ? JSON.stringify(JSON.parse(text).fill(null, 5)) : text))
    .sort()
    .join('\n');

/** Returns a model after an action, and how many records it erases. */
const apply = (before: Model, one: Action, person: string[]): [after: Model, erased: number] => {
  if (one.verb === 'record') {
    const sent = one.sent.filter(({ number }) => person.includes(number)).map(spellConsent);
    return [new Map([...sent.map((text) => [text, false] as const), ...before]), 0];
  }
  const isKept = (text: string) => one.mode === 'keep' && JSON.parse(text)[2] === 'revoked';
  const after = new Map([...before.keys()].filter(isKept).map((text) => [text, hasDetails(text)]));
  return [after, [...before].filter(([text, isErased]) => after.get(text) !== isErased).length];
};
const hasDetails = (text: string) => (JSON.parse(text) as unknown[]).slice(5).some((one) => one !== null);

/** An action takes effect at most so often: a process that repeats it may find what others did in between. */
const maxEffects = 3;

/** Returns the models that actions at the same time may leave, in any order, if they erased what they say. */
const applyAll = (before: Model, actions: Action[], done: Done[], person: string[]): Model[] => {
  type Node = { model: Model; effects: number[]; erased: number[] };
  const spellNode = ({ model, effects, erased }: Node) => JSON.stringify([[...model].sort(), effects, erased]);
  const nothing = actions.map(() => 0);
  const first: Node = { model: before, effects: nothing, erased: nothing };
  const nodes = new Map([[spellNode(first), first]]);
  for (const node of nodes.values())
    for (const [index, one] of actions.entries()) {
      if (node.effects[index] === maxEffects) continue;
      const [model, erased] = apply(node.model, one, person);
      const effects = node.effects.with(index, (node.effects[index] ?? 0) + 1);
      const next = { model, effects, erased: node.erased.with(index, (node.erased[index] ?? 0) + erased) };
      nodes.set(spellNode(next), next);
    }
  const isPossible = ({ effects, erased }: Node) =>
    done.every((one, index) => {
      const isDone = one.isLost || (effects[index] ?? 0) > 0;
      return isDone && (one.erased === undefined || one.erased === erased[index]);
    });
  return [...nodes.values()].filter(isPossible).map(({ model }) => model);
};

/** Decides as the documentation says, from everything that was recorded. */
const expectState = (recorded: Consent[], purpose: string, moment: string) => {
  const concerned = recorded.filter((one) => [purpose, '*'].includes(one.purpose) && one.at <= moment);
  const [at] = concerned.map((one) => one.at).sort((one, other) => (one < other ? 1 : -1));
  const latest = concerned.filter((one) => one.at === at);
  if (latest.length === 0) return { state: 'none', at };
  if (latest.some(({ state }) => state === 'revoked')) return { state: 'revoked', at };
  const isOver = latest.some(({ expiresAt }) => expiresAt !== undefined && expiresAt <= moment);
  return { state: isOver ? 'expired' : 'given', at };
};
const maxAgeDays = 1;
const dayMilliseconds = 24 * 60 * 60 * 1000;
const expectCause = ({ state, at = '' }: { state: string; at?: string }, moment: string) => {
  if (state === 'none') return 'no_consent';
  if (state === 'revoked') return 'consent_revoked';
  const isTooOld = Date.parse(at) + maxAgeDays * dayMilliseconds <= Date.parse(moment);
  return state === 'expired' || isTooOld ? 'consent_expired' : undefined;
};
const moments = [-1, ...Array(12).keys(), 24, 27, 30].map(makeTime);

const positions = (listed: Consent[]) => listed.map(({ at, consentId }) => `${at} ${consentId}`);
/** Returns the records of all pages of so many, or more than are expected. */
const listPages = async (
  consents: Consents,
  { uid, number, limit, expected }: { uid: string; number: string; limit: number; expected: number },
): Promise<Consent[]> => {
  const listed: Consent[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined && listed.length <= expected; ) {
    const page = await consents.page(uid, number, { limit, cursor: cursor || undefined });
    listed.push(...page.items);
    cursor = page.nextCursor;
  }
  return listed;
};

const perform = async (uid: string, one: Action, seed: number): Promise<Done> => {
  const faulty = openFaultyTable(tenPercent(seed));
  const [dying, next] = [new Consents(mortal(faulty, one.death)), new Consents(faulty)];
  const until = Date.now() + 20_000;
  if (one.verb === 'record') {
    const record = (consents: Consents) => consents.record(uid, one.sent, { recordedBy: 'request/1', until });
    const outcomes = await record(dying).catch(async (error) => {
      if (!(error instanceof Death)) throw error;
      return one.isRepeated ? record(next) : undefined;
    });
    expect(outcomes?.every((outcome) => typeof outcome === 'object')).not.toBe(false);
    return { isLost: outcomes === undefined };
  }
  const [forms, erasureId] = [people[one.person] as string[], newIdentifier('erasure')];
  const [first = ''] = forms;
  await erasures.get().add({ uid, erasureId, number: first, numberHash: 'hash', blockList: one.mode });
  const count = (by: number) => erasures.get().counting(uid, erasureId, 'consents', by);
  const erase = (consents: Consents) => consents.erase(uid, forms[one.form] ?? first, { mode: one.mode, until, count });
  // Its queue delivers the message of an erasure again.
  const isDone = await erase(dying).catch(() => untilAnswered(() => erase(next)));
  expect(isDone).toBe(true);
  return { isLost: false, erased: (await erasures.get().find(uid, erasureId))?.erased.consents };
};

itInAnyHistory(
  'the decisions and the lists are those that a model has, after late records, lost responses, erasures, kills and several importers at once',
  [5, 1000],
  async (numRuns) => {
    const consents = new Consents(table.get());
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), fc.nat(), async (steps, seed) => {
        const uid = unique('user');
        let possible: Model[][] = people.map(() => [new Map()]);
        for (const [index, actions] of steps.entries()) {
          const done = await Promise.all(actions.map((one, place) => perform(uid, one, seed + index * 10 + place)));
          const found = await consents.findMany(uid, people.flat());
          possible = await Promise.all(
            people.map(async (person, place) => {
              const concern = actions.map((one) =>
                one.verb === 'erase' ? one.person === place : one.sent.some(({ number }) => person.includes(number)),
              );
              const [own, results] = [actions.filter((_, at) => concern[at]), done.filter((_, at) => concern[at])];
              const listed = await Array.fromAsync(consents.readAll(uid, person.at(-1) as string));
              expect(positions(listed)).toEqual(positions(listed).sort());
              const paged = await listPages(consents, {
                ...{ uid, number: person[0] as string, limit: 1 + (seed % 3), expected: listed.length },
              });
              expect(paged).toEqual(listed.toReversed());
              const shown = listed.map(spellConsent).sort().join('\n');
              const models = (possible[place] as Model[]).flatMap((model) => applyAll(model, own, results, person));
              const left = models.filter((model) => show(model) === shown);
              if (left.length === 0) throw new Error(`No order of ${JSON.stringify(own)} leaves\n${shown}`);
              const entries = found.get(person[0] as string) ?? [];
              expect(entries.map(({ consentId }) => consentId).sort()).toEqual(
                listed.map(({ consentId }) => consentId).sort(),
              );
              for (const purpose of purposes)
                for (const moment of moments) {
                  const expected = expectState(listed, purpose, moment);
                  const { state, entry } = decideConsent(entries, purpose, Date.parse(moment));
                  expect({ state, at: entry && new Date(entry.at).toISOString() }).toEqual(expected);
                  const { cause } = requireConsent({ purpose, maxAgeDays }, entries, Date.parse(moment));
                  expect(cause).toBe(expectCause(expected, moment));
                }
              return [...new Map(left.map((model) => [JSON.stringify([...model].sort()), model])).values()];
            }),
          );
        }
      }),
      { numRuns, endOnFailure: true },
    );
  },
);
