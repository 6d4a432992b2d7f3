import { describe, expect, it } from 'vitest';
import { decideOutcome } from '../../functions/domain/call-outcomes.ts';
import type { Call, CallOutcomeChange } from '../../functions/domain/calls.ts';
import type { OutcomeRules } from '../../functions/domain/declared-outcomes.ts';
import type { ApiError } from '../../functions/domain/errors.ts';

const call: Call = {
  callId: 'c1',
  agentId: 'a1',
  phone: '+14155550100',
  direction: 'inbound',
  startedAt: '2026-03-01T10:00:00.000Z',
  durationSeconds: 60,
};
const at = '2026-03-02T08:00:00.000Z';
const spoken = ['Yes, please book me for Tuesday.'];

/** Decides on a change that the owner makes, or that a platform found. */
const decide = (
  change: CallOutcomeChange,
  outcomeRules: OutcomeRules,
  { uid = 'owner', found }: { uid?: string; found?: string[] | 'no transcript' } = {},
) =>
  decideOutcome(
    change,
    { agentId: 'a1', owner: 'owner', outcomeRules },
    {
      uid,
      at,
      keyId: found ? 'hook:vapi' : 'key_1',
      ...(found && { found: { callerTexts: found === 'no transcript' ? undefined : found } }),
    },
  );

const labeled = (custom_call_outcome: string | null) => ({ custom_call_outcome });

describe('which outcomes block', () => {
  const blocks = (declared: 'never' | 'set' | 'found' | undefined, blockOnOutcomes: string[]) => ({
    outcomes: [{ name: 'Do not call', ...(declared && { blocks: declared }) }],
    blockOnOutcomes,
  });

  it.each<[string, OutcomeRules, { set: boolean; found: boolean }]>([
    ['a label of an agent without any rule', {}, { set: false, found: false }],
    ['a label of blockOnOutcomes', { blockOnOutcomes: ['do_not_call'] }, { set: true, found: false }],
    ['a declared outcome that says nothing', blocks(undefined, []), { set: false, found: false }],
    ['never', blocks('never', []), { set: false, found: false }],
    ['set', blocks('set', []), { set: true, found: false }],
    ['found', blocks('found', []), { set: true, found: true }],
    ['never, and blockOnOutcomes', blocks('never', ['DO-NOT-CALL']), { set: true, found: false }],
    ['set, and blockOnOutcomes', blocks('set', ['do not call']), { set: true, found: false }],
    ['found, and blockOnOutcomes', blocks('found', ['do not call']), { set: true, found: true }],
  ])('%s', (_, rules, expected) => {
    const reason = rules.outcomes ? 'Do not call' : 'do_not_call';
    const block = { owner: { uid: 'owner' }, reason };
    expect(decide(labeled('do_not_call'), rules).block).toEqual(expected.set ? block : undefined);
    expect(decide(labeled('do_not_call'), rules, { found: spoken }).block).toEqual(expected.found ? block : undefined);
  });

  it('a guest blocks for the agent alone', () => {
    const { block } = decide(labeled('do_not_call'), { blockOnOutcomes: ['do_not_call'] }, { uid: 'guest' });
    expect(block).toEqual({ owner: { agentId: 'a1' }, reason: 'do_not_call' });
  });

  it('clearing an outcome, or a value alone, blocks no number', () => {
    const rules = { blockOnOutcomes: ['do_not_call'] };
    for (const change of [labeled(null), { custom_call_outcome_value: 1 }, {}])
      expect(decide(change, rules).block).toBeUndefined();
  });
});

describe('declared outcomes', () => {
  const outcomes = [{ name: 'Appointment booked', value: 149.5 }, { name: 'Straße' }];

  it.each(['appointment_booked', ' APPOINTMENT--booked', 'appointmentbooked', 'Appointment\u00a0Booked'])(
    'the label %o is stored as it is declared',
    (label) => {
      expect(decide(labeled(label), { outcomes }).change(call)).toMatchObject(labeled('Appointment booked'));
    },
  );

  it('labels are compared in NFC, without regard to case', () => {
    const rules = { outcomes: [{ name: 'caf\u00e9' }, { name: 'ΟΔΟΣ' }, { name: 'Straße' }] };
    const stored = (label: string) => decide(labeled(label), rules).change(call).custom_call_outcome;
    expect(['CAFE\u0301', 'οδος', 'STRASSE'].map(stored)).toEqual(['caf\u00e9', 'ΟΔΟΣ', 'Straße']);
  });

  it.each(['appointment', '', '_', 'Appointment booked!'])(
    'the label %o is refused, with those that are declared',
    (label) => {
      const refused = () => decide(labeled(label), { outcomes });
      expect(refused).toThrow('The agent declares no such outcome, only "Appointment booked", "Straße".');
      try {
        refused();
      } catch (error) {
        expect((error as ApiError).code).toBe('unknown_outcome');
        expect((error as ApiError).details).toEqual([
          { path: 'custom_call_outcome', message: 'must be one of "Appointment booked", "Straße"' },
        ]);
      }
    },
  );

  it('an empty list refuses every label, and lets an outcome be cleared', () => {
    expect(() => decide(labeled('sold'), { outcomes: [] })).toThrow(
      'The agent declares that its calls have no outcome.',
    );
    expect(decide(labeled(null), { outcomes: [] }).change({ ...call, custom_call_outcome: 'sold' })).not.toHaveProperty(
      'custom_call_outcome',
    );
  });

  it('the declared value is set where none is sent and none is stored', () => {
    const value = (change: CallOutcomeChange, stored: Partial<Call> = {}) =>
      decide(change, { outcomes }).change({ ...call, ...stored }).custom_call_outcome_value;
    const label = labeled('appointment_booked');
    expect(value(label)).toBe(149.5);
    expect(value({ ...label, custom_call_outcome_value: 5 })).toBe(5);
    expect(value({ ...label, custom_call_outcome_value: null })).toBeUndefined();
    expect(value(label, { custom_call_outcome_value: 7 })).toBe(7);
    expect(value({ custom_call_metadata: { a: 1 } })).toBeUndefined();
    expect(value(labeled('STRASSE'))).toBeUndefined();
  });

  it('the fields of a change include the value that is declared', () => {
    const fields = (change: CallOutcomeChange, stored: Partial<Call> = {}) => {
      const effect = decide(change, { outcomes });
      return effect.fields(effect.change({ ...call, ...stored }));
    };
    const label = labeled('appointment_booked');
    expect(fields(label)).toEqual(['custom_call_outcome', 'custom_call_outcome_value']);
    expect(fields(label, { custom_call_outcome_value: 7 })).toEqual(['custom_call_outcome']);
    expect(fields(labeled('STRASSE'))).toEqual(['custom_call_outcome']);
    expect(fields({ custom_call_metadata: null })).toEqual(['custom_call_metadata']);
  });
});

describe('outcomes that a platform found', () => {
  const outcomes = [
    { name: 'booked', value: 99, found: { minSeconds: 10, minCallerWords: 3 } },
    { name: 'do_not_call', blocks: 'found' as const, found: { minCallerWords: 4 } },
    { name: 'lost' },
  ];
  const found = (label: string, before: Call = call, said: string[] | 'no transcript' = spoken, more = {}) =>
    decide({ ...labeled(label), ...more }, { outcomes }, { found: said }).change(before);

  it('an outcome that meets its conditions is set with the declared value, and an outcome without conditions is set', () => {
    expect(found('Booked')).toMatchObject({
      custom_call_outcome: 'booked',
      custom_call_outcome_value: 99,
      outcomeHistory: [{ at, keyId: 'hook:vapi', fields: ['custom_call_outcome', 'custom_call_outcome_value'] }],
    });
    expect(found('lost', { ...call, durationSeconds: 0 }, 'no transcript')).toMatchObject(labeled('lost'));
  });

  it.each<[string, Partial<Call>, string[] | 'no transcript', string[]]>([
    ['a short call', { durationSeconds: 9.9 }, spoken, ['too_short']],
    ['few words', {}, ['Hello?', 'Hi.'], ['too_few_words']],
    ['both', { durationSeconds: 1 }, [], ['too_short', 'too_few_words']],
    ['no transcript', {}, 'no transcript', ['too_few_words']],
    ['a transcript of noises', {}, ['…', '?!', '---', '😀😀😀'], ['too_few_words']],
    ['an unknown duration', { durationSeconds: undefined as never }, spoken, ['too_short']],
  ])('an outcome is held for %s', (_, facts, said, causes) => {
    const metadata = { custom_call_metadata: { seats: 2 } };
    const held = found('BOOKED', { ...call, ...facts }, said, metadata);
    expect(held).toEqual({ ...call, ...facts, heldOutcome: { ...labeled('booked'), ...metadata, causes } });
  });

  it('a call of which only the end is known is as long as that', () => {
    const { durationSeconds: _, ...unmeasured } = call;
    expect(found('booked', { ...unmeasured, endedAt: '2026-03-01T10:00:10.000Z' })).toMatchObject(labeled('booked'));
    expect(found('booked', { ...unmeasured, endedAt: '2026-03-01T10:00:09.000Z' })).toHaveProperty('heldOutcome');
  });

  it('words are counted by the word boundaries of Unicode, in any script', () => {
    for (const said of [['Ja, gerne!'], ['お願いします'], ['ได้ครับ'], ['yes'], ["don't"]])
      expect(found('do_not_call', call, said), said[0]).toHaveProperty('heldOutcome');
    for (const said of [['Ja, bitte', 'heute noch'], ['明日の午後三時にお願いします'], ["I don't want calls"]])
      expect(found('do_not_call', call, said), said[0]).toMatchObject(labeled('do_not_call'));
  });

  it('an outcome that is held again stays as it is, and one that is corrected replaces it', () => {
    const held = found('booked', call, []);
    expect(found('booked', held, [])).toBe(held);
    expect(found('do_not_call', held, []).heldOutcome).toEqual({
      ...labeled('do_not_call'),
      causes: ['too_few_words'],
    });
  });

  it('a later event that meets the conditions ends the holding', () => {
    const set = found('booked', found('booked', call, []));
    expect(set).toMatchObject(labeled('booked'));
    expect(set).not.toHaveProperty('heldOutcome');
  });

  it('an event that repeats without its transcript what is set holds nothing', () => {
    const set = found('booked');
    expect(found('booked', set, 'no transcript')).toBe(set);
  });

  it('setting or clearing the outcome ends the holding, and is final; a value alone does not end it', () => {
    const held = found('booked', call, []);
    for (const change of [labeled('lost'), labeled('booked'), labeled(null)]) {
      const decided = decide(change, { outcomes }).change(held);
      expect(decided).not.toHaveProperty('heldOutcome');
      expect(decided.outcomeHistory).toHaveLength(1);
      expect(found('booked', decided, [])).toBe(decided);
      expect(found('booked', decided)).toBe(decided);
      expect(found('interested', decided)).toBe(decided);
    }
    const valued = decide({ custom_call_outcome_value: 5 }, { outcomes }).change(held);
    expect(valued.heldOutcome).toEqual(held.heldOutcome);
  });

  it('an outcome that is not declared is refused with its value and its metadata, and the details name it', () => {
    const before = { ...call, details: { summary: 'A call.' } };
    const more = { custom_call_outcome_value: 5, custom_call_metadata: { a: 1 } };
    const refused = found('interested', before, spoken, more);
    const refusedOutcome = 'interested';
    expect(refused).toEqual({ ...before, details: { summary: 'A call.', refusedOutcome }, refusedOutcome });
    expect(found('interested', refused, spoken, more)).toBe(refused);
    expect(decide(labeled('interested'), { outcomes }, { found: spoken }).block).toBeUndefined();
    expect(found('', before).details).toEqual({ summary: 'A call.', refusedOutcome: '' });
    // The details may have the label already, as the words of a caller.
    expect(found('interested', { ...call, details: { refusedOutcome } })).toMatchObject({ refusedOutcome });
  });

  it('metadata that somebody has set is not held', () => {
    const before = { ...call, custom_call_metadata: { crm: 1 } };
    const held = found('booked', before, [], { custom_call_metadata: { seats: 2 } });
    expect(held.heldOutcome).toEqual({ ...labeled('booked'), causes: ['too_few_words'] });
  });

  it('an agent without a list has no conditions: what is found is set as it was sent', () => {
    const { change, block } = decide(labeled('Anything'), { blockOnOutcomes: ['anything'] }, { found: [] });
    expect(change({ ...call, durationSeconds: 0 })).toMatchObject(labeled('Anything'));
    expect(block).toBeUndefined();
  });
});
