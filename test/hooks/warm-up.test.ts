import { afterEach, expect, it } from 'vitest';
import { decideCallStart } from '../../functions/api/decide-call-start.ts';
import { receiveHook } from '../../functions/api/receive-hook.ts';
import { platforms } from '../../functions/hooks/platforms/platforms.ts';
import { makeUpHooks } from '../../functions/hooks/warm-up-hooks.ts';
import { madeUpStart, performStart } from '../../functions/hooks/warm-up-starts.ts';
import { injectFaults, noFaults } from '../support/faults.ts';
import { useTargetInThisProcess } from '../support/world.ts';

afterEach(noFaults);

it.each([
  ['POST /call-starts', decideCallStart, madeUpStart] as const,
  ...makeUpHooks().map((event) => [`the hook of ${event.pathParameters?.platform}`, receiveHook, event] as const),
])(
  'the function of %s is warmed by a start that is accepted, without a request to the table',
  async (_, endpoint, event) => {
    useTargetInThisProcess();
    injectFaults(() => 'kill');
    expect(await performStart(endpoint, event)).toMatchObject({
      statusCode: 200,
      body: expect.not.stringMatching(/reject|error/i),
    });
  },
);

it('the function of hooks is warmed by a start of each platform', () => {
  expect(makeUpHooks().map(({ pathParameters }) => pathParameters?.platform)).toEqual(Object.keys(platforms));
});
