import { describe, expect, inject, it } from 'vitest';

const deployed = inject('deployed');

describe('afterwards', () => {
  it('x', () => {
    expect(deployed.stack).toBe('voice-agents-dev');
  });
});
