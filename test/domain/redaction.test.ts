import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactions, redactTexts } from '../../functions/domain/redaction.ts';

const redact = (texts: string[], kinds: ('cards' | 'emails' | 'numbers')[] = ['cards']) =>
  redactTexts(
    texts.map((text) => ({ role: 'caller', text })),
    kinds,
  ).map(({ text }) => text);

describe('cards', () => {
  it.each([
    ['4111111111111111', '[card]'],
    ['It is 4111 1111 1111 1111, thanks.', 'It is [card], thanks.'],
    ['4111-1111-1111-1111', '[card]'],
    ['4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1', '[card]'],
    ['3782 822463 10005 and 12/27', '[card] and 12/27'],
    ['4111 1111 1111 1111 12 27 123', '[card] 12 27 123'],
    ['4111 1111 1111 1112', '4111 1111 1111 1112'],
    ['Call +1 415 555 0100.', 'Call +1 415 555 0100.'],
    ['Order 123456789012', 'Order 123456789012'],
  ])('%j becomes %j', (text, redacted) => expect(redact([text])).toEqual([redacted]));

  it('one across the turns of a side is found, whatever the other side says between', () => {
    const turns = [
      { role: 'caller', text: 'It is 4111 1111' },
      { role: 'agent', text: 'Go on.' },
      { role: 'caller', text: '1111' },
      { role: 'caller', text: '1111. Bye.' },
    ];
    expect(redactTexts(turns, ['cards']).map(({ text }) => text)).toEqual(['It is [card]', 'Go on.', '', '. Bye.']);
    const sides = [turns[0], { role: 'agent', text: '1111 1111' }] as typeof turns;
    expect(redactTexts(sides, ['cards'])).toEqual(sides);
  });
});

it.each([
  ['emails', 'Write to ada.l+x@mail.example.co.uk, please.', 'Write to [email], please.'],
  ['emails', 'me@home and @you', 'me@home and @you'],
  ['numbers', 'Call +1 415 555 0100 or 555 01 00, room 123456.', 'Call [number] or [number], room 123456.'],
] as const)('%s: %j becomes %j', (kind, text, redacted) => expect(redact([text], [kind])).toEqual([redacted]));

it('a number that is split into turns in any way never stays, and other words do', () => {
  const parts = fc.array(fc.constantFrom(' ', '-', '', '. ', '\n'), { minLength: 15, maxLength: 15 });
  fc.assert(
    fc.property(parts, fc.uniqueArray(fc.integer({ min: 1, max: 15 }), { maxLength: 4 }), (separators, breaks) => {
      const digits = [...'4111111111111111'];
      const spoken = digits.map((digit, index) => digit + (separators[index] ?? ''));
      const cuts = [0, ...breaks.toSorted((a, b) => a - b), 16];
      const texts = cuts.slice(1).map((end, index) => spoken.slice(cuts[index], end).join(''));
      const redacted = redact(['hello', ...texts, 'bye'], [...redactions]);
      expect(redacted.join('')).toContain('[card]');
      expect(redacted.join('')).not.toMatch(/\d/);
      expect([redacted[0], redacted.at(-1)]).toEqual(['hello', 'bye']);
    }),
    { numRuns: 500 },
  );
});

it.each([
  '1 '.repeat(200_000),
  '4111 '.repeat(80_000),
  'a@'.repeat(200_000),
  'a.'.repeat(200_000),
  '1'.repeat(400_000),
])('hostile text takes linear time: case %#', (text) => {
  const began = process.cpuUsage();
  redact([text], [...redactions]);
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(1500);
});
