import { expect, it } from 'vitest';
import { isSameLabel } from '../../functions/domain/outcome-labels.ts';

it.each([
  ['no-show', 'No_Show'],
  ['no-show', 'no\u2011show'],
  ['no-show', 'no\u2010show'],
  ['no-show', 'no – show'],
  ['no-show', 'no\u2212show'],
  ['no-show', 'no\u00adshow'],
  ['no-show', '\ufeffno\u200bshow\u200e'],
  ['no-show', 'no\u00a0show'],
  ['İptal', 'iptal'],
  ['İptal', 'IPTAL'],
  ['I\u0307ptal', 'iptal'],
  ['SATIŞ', 'satış'],
  ['Straße', 'STRASSE'],
  ['caf\u00e9', 'CAFE\u0301'],
  ['ΤΈΛΟΣ', 'τέλος'],
])('the labels %j and %j are the same outcome', (one, other) => {
  expect([isSameLabel(one, other), isSameLabel(other, one)]).toEqual([true, true]);
});

it.each([
  ['no-show', 'noshow!'],
  ['sold', 'söld'],
  ['ビル', 'ビール'],
  ['m2', 'm²'],
  ['-', '_'],
  ['\u200b', ' '],
])('the labels %j and %j are different outcomes', (one, other) => {
  expect(isSameLabel(one, other)).toBe(false);
});
