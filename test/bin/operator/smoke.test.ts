import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listen } from '../../../bin/local/listen.ts';
import { jsonError, operator } from '../../support/operator-command.ts';
import { target } from '../../support/world.ts';

let refusing: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  refusing = await listen(createServer((_, response) => response.writeHead(403).end('{"message":"Forbidden"}')));
});
afterAll(() => refusing.stop());

const smoke = async (...args: string[]) => {
  const { code, stdout, stderr } = await operator('smoke', ...args, '--json');
  return { code, stderr, ...JSON.parse(stdout) };
};

it('the smoke test passes for a service that responds, and whose API and chat reject direct requests', async () => {
  const { code, passed, checks } = await smoke('--base-url', target.baseUrl);
  expect([code, passed, checks.length]).toEqual([0, true, 5]);
  const behind = ['--api-url', refusing.endpoint, '--chat-url', refusing.endpoint];
  const whole = await smoke('--base-url', target.baseUrl, ...behind);
  expect([whole.code, whole.passed, whole.checks.length]).toEqual([0, true, 7]);
});

it('the smoke test fails with a reason when the API or the chat responds to a direct request', async () => {
  const direct = ['--api-url', target.baseUrl, '--chat-url', target.baseUrl];
  const { code, stderr, checks } = await smoke('--base-url', target.baseUrl, ...direct);
  expect([code, stderr]).toEqual([1, jsonError('failed', '2 of 7 checks failed.')]);
  expect(checks.filter(({ passed }: { passed: boolean }) => !passed)).toEqual([
    { what: 'the API refuses direct requests', expected: '403', found: '200', passed: false },
    { what: 'the chat refuses direct requests', expected: '403', found: '400 invalid_request', passed: false },
  ]);
});

it('the smoke test fails when nothing responds, or something else does', async () => {
  const { stdout, code } = await operator('smoke', '--base-url', refusing.endpoint);
  expect([code, stdout.match(/^FAILED/gm)?.length]).toEqual([1, 5]);
  const none = await smoke('--base-url', 'http://127.0.0.1:9');
  expect([none.code, none.checks[0].found]).toEqual([1, expect.stringMatching(/^no response \(/)]);
});

it('the smoke test has a turn with the model when it is asked to, and fails when the model does', async () => {
  const { code, checks } = await smoke('--base-url', target.baseUrl, '--chat');
  expect([code, checks.length]).toEqual([0, 6]);
  expect(checks).toContainEqual({ what: 'the chat’s model answers', expected: '200', found: '200', passed: true });
  const failing = await smoke('--base-url', refusing.endpoint, '--chat');
  expect(failing.checks).toContainEqual(
    expect.objectContaining({ what: 'the chat’s model answers', found: '403', passed: false }),
  );
});
