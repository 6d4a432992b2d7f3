import { afterEach, expect, it, vi } from 'vitest';
import { describeError, log } from '../functions/log.ts';

const lines: string[] = [];
const logLine = (fields: Record<string, unknown>) => {
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  log('info', fields);
  vi.restoreAllMocks();
  return JSON.parse(lines.at(-1) as string) as Record<string, unknown>;
};
afterEach(() => {
  lines.length = 0;
});

it.each([
  '+14155550123',
  '+1 415 555 0123',
  '+1 415 555 0123 4155550123',
  '+14155550123 415-555-0199',
  '+44 20 7946 0958',
  '+49 (0)30 / 901820',
  '+12345',
  '%2B14155550123',
  '4155550123',
  '415.555.0123',
  '0049 30 901820',
  '5550123',
  '415\u2011555\u20110123',
  '+\uff11\uff14\uff11\uff15\uff15\uff15\uff15\uff10\uff11\uff12\uff13',
  'alice@example.com',
  'alice%40example.com',
  '"alice smith"@example.com',
  '用户@例子.公司',
  'vap_0123456789abcdefABCDEF',
  'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
  'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDC2FVsBQIhr0=',
])('a line of the log redacts %j, wherever a caller writes it', (secret) => {
  const error = new Error(`It fails for ${secret}, twice.`, { cause: new Error(secret) });
  const fields = { chatId: `chat ${secret} end`, uid: secret, list: [`tel:${secret}`], cause: describeError(error) };
  const line = logLine(fields);
  expect(lines.join('')).not.toContain(secret);
  expect(line).toMatchObject({ chatId: 'chat … end', uid: '…', list: ['tel:…'] });
  expect(line.cause).toMatchObject({ message: 'It fails for …, twice.', cause: { message: '…' } });
});

it('a line of the log keeps the fields that find a request, and stays JSON', () => {
  const fields = {
    requestId: '3b1f8a52-1234-4123-8123-123456789012',
    otherId: '12345678-1234-4123-9123-123456789012',
    apiGatewayId: 'JKJaXmPLvHcESHA=',
    uid: 'demo-user',
    agentId: 'agent_01KB3P8V4N6T0R2X5Z7B9D1F3H',
    attempt: 'd41d8cd98f00b204e9800998ecf8427e',
    at: ['at handler (file:///var/task/index.mjs:1:1234567)', 'node_modules/undici@8.12.4/index.js:2286:13'],
    when: '2026-11-22T08:59:17.123Z',
    address: 'https://site.example/a?b=1',
    milliseconds: 123456789,
    tokens: 4155550123,
  };
  const traceId = expect.stringMatching(/^[0-9a-f]{32}$/);
  expect(logLine(fields)).toEqual({ time: expect.any(String), level: 'info', traceId, ...fields });
  expect(logLine(fields).time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/);
});

it('a line of the log takes time in proportion to its length', () => {
  const started = performance.now();
  for (const text of ['1 ', 'a.', '(', '+', '1-(', '+1-(', '+1 ', 'a@', '@.', '%2'])
    logLine({ message: text.repeat(50_000) });
  expect(performance.now() - started).toBeLessThan(10_000);
});
