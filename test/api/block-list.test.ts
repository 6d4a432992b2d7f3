import { describe, expect, it } from 'vitest';
import { newWorld } from '../world.ts';

describe('blocking numbers', () => {
  it('adds what is new and reports the rest, in the order sent', async () => {
    const world = await newWorld();
    const answer = await world.block(['+1 (415) 555-0100', 'nonsense', '+1.415.555.0100', '+442071838750']);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      message: 'Block list updated successfully',
      added: ['+14155550100', '+442071838750'],
      failed: [
        { number: 'nonsense', reason: 'Invalid phone number format', code: 'invalid_format' },
        { number: '+1.415.555.0100', reason: 'Number already in block list', code: 'already_blocked' },
      ],
    });
    expect((await world.blockList()).blockList).toEqual(['+14155550100', '+442071838750']);
  });
});
