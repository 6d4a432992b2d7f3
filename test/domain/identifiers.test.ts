import { expect, it } from 'vitest';
import { Identifier, isIdentifier, StoredIdentifier } from '../../functions/domain/identifiers.ts';

it('an identifier of a caller is no dot segment, which paths lose, and a stored one may be', () => {
  for (const value of ['.', '..']) {
    expect(isIdentifier(value)).toBe(false);
    expect(Identifier.safeParse(value).error?.issues[0]?.message).toContain('not . or ..');
    expect(StoredIdentifier.safeParse(value).success).toBe(true);
  }
  for (const value of ['...', '.a', 'a.', '-', 'a:b', 'x'.repeat(128)]) {
    expect([value, isIdentifier(value), Identifier.safeParse(value).success]).toEqual([value, true, true]);
  }
  for (const value of ['', 'a/b', 'ä', 'x'.repeat(129)]) expect(isIdentifier(value)).toBe(false);
});
