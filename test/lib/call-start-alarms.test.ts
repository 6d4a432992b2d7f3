import { expect, it, vi } from 'vitest';
import { buildChat } from '../../functions/api/build-chat.ts';
import { decideCallStart } from '../../functions/api/decide-call-start.ts';
import { getAgent } from '../../functions/api/get-agent.ts';
import { receiveHook } from '../../functions/api/receive-hook.ts';
import { searchKnowledge } from '../../functions/api/search-knowledge.ts';
import { serveMcp } from '../../functions/api/serve-mcp.ts';
import { platforms } from '../../functions/hooks/platforms/platforms.ts';
import type { AnyEndpoint } from '../../functions/http/endpoint.ts';
import { logRequests } from '../../functions/http/log-requests.ts';
import { getDeployment, inProduction, type Json, type Resource } from '../support/deployment.ts';
import { isRaised, type MetricSeries, readMetrics } from '../support/embedded-metrics.ts';

const prod = getDeployment(inProduction);
const alarms = new Map(prod.all('AWS::CloudWatch::Alarm').map(({ logicalId, properties }) => [logicalId, properties]));
const [composite] = prod.all('AWS::CloudWatch::CompositeAlarm') as [Resource];

type Served = { status?: number; milliseconds?: number; isLate?: true };

/** Returns the line that the service logs for a request. */
const logLine = (endpoint: AnyEndpoint, { status = 200, milliseconds = 40, isLate }: Served, body?: object): Json => {
  vi.stubEnv('METRIC_NAMESPACE', 'voice-agents-prod');
  const lines = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const event = { requestContext: { requestId: 'request-1' }, headers: {} };
    const internal = {
      receivedAt: performance.now() - milliseconds,
      isLate,
      parsed: body && { input: { body }, ignored: [] },
    };
    logRequests(endpoint).after?.({ event, internal, response: { statusCode: status } } as never);
    return JSON.parse(String(lines.mock.lastCall?.[0]));
  } finally {
    lines.mockRestore();
    vi.unstubAllEnvs();
  }
};
const startOn = (platform: string, served: Served = {}) =>
  logLine(receiveHook, served, { name: platform, event: { type: 'start' } });
const endOn = (platform: string) => logLine(receiveHook, {}, { name: platform, event: { type: 'end' } });

/** Returns the first and the last minute of each time in which the alarm on call starts is raised, while a minute has the given lines. */
const replay = (minutes: number, captureLines: (minute: number) => Json[]) => {
  const series: MetricSeries = new Map();
  const times: [number, number][] = [];
  for (let minute = 0; minute < minutes; minute++) {
    for (const line of captureLines(minute)) {
      const at = { ...line._aws, Timestamp: minute * 60_000 + 1 };
      readMetrics({ ...line, _aws: at }, series);
    }
    if (!isComposedRaised(series, minute)) continue;
    const last = times.at(-1);
    if (last?.[1] === minute - 1) last[1] = minute;
    else times.push([minute, minute]);
  }
  return times;
};

/** Computes the rule of the composite alarm over the states of its parts. */
const isComposedRaised = (series: MetricSeries, minute: number): boolean => {
  const [, parts] = composite.properties.AlarmRule['Fn::Join'];
  const rule = parts.map((part: Json) => (typeof part === 'string' ? part : part['Fn::GetAtt'][0])).join('');
  const states = rule.replace(/ALARM\("(\w+)"\)/g, (_: string, id: string) => isRaised(alarms.get(id), series, minute));
  const expression = states.replaceAll(' AND ', ' && ').replaceAll(' OR ', ' || ');
  expect(expression).toMatch(/^(true|false|&&|\|\||[ ()])+$/);
  return new Function(`return ${expression};`)();
};

const good = startOn('vapi');
const fault = startOn('vapi', { status: 500 });
const late = startOn('retell', { isLate: true });
const slow = logLine(decideCallStart, { milliseconds: 1100 });
const makeTen = (bad: Json[]) => [...bad, ...Array(10 - bad.length).fill(good)];
const hours = (count: number) => count * 60;

it('a failure of every call start raises the alarm within a minute, which ends half an hour after the last bad start', () => {
  const outage = (minute: number) => minute >= hours(6) && minute < hours(6) + 10;
  for (const bad of [fault, late, slow]) {
    const times = replay(hours(8), (minute) => (outage(minute) ? Array(10).fill(bad) : makeTen([])));
    expect(times).toEqual([[hours(6), hours(6) + 38]]);
  }
});

it('two slow starts in a hundred raise the alarm while an hour has 1.44 % of them, and one in a hundred while six hours have 0.6 %', () => {
  const everyMinutes = (interval: number) => (minute: number) =>
    makeTen(minute >= hours(6) && minute < hours(12) && minute % interval === 0 ? [slow] : []);
  const [[twoPercent] = []] = replay(hours(12), everyMinutes(5));
  expect(twoPercent).toBe(hours(6) + 40);
  const [[onePercent] = []] = replay(hours(12), everyMinutes(10));
  expect(onePercent).toBe(hours(6) + 210);
  expect(replay(hours(13), everyMinutes(20))).toEqual([]);
});

it('four bad starts raise no alarm, however few starts there are, and five do', () => {
  const quiet = (failures: number) => (minute: number) => {
    if (minute % 6 > 0) return [];
    const isBad = minute >= hours(1) && minute < hours(1) + failures * 6;
    return [isBad ? fault : good];
  };
  expect(replay(hours(9), quiet(4))).toEqual([]);
  expect(replay(hours(9), quiet(5))).toEqual([[hours(1) + 24, hours(1) + 53]]);
});

it('neither good starts, nor faults of other requests, nor hours without a call raise the alarm', () => {
  const others = [logLine(getAgent, { status: 500 }), logLine(searchKnowledge, { milliseconds: 5000 })];
  expect(replay(hours(7), (minute) => (minute < hours(3) ? [] : [good, ...others]))).toEqual([]);
});

it('only the alarm on call starts notifies, and not its four parts', () => {
  const parts = [...alarms].filter(([id]) => id.startsWith('CallStarts')).map(([, properties]) => properties);
  expect(parts).toHaveLength(4);
  for (const { AlarmActions, OKActions } of parts) expect([AlarmActions, OKActions]).toEqual([undefined, undefined]);
  expect(composite.properties).toMatchObject({ AlarmActions: [expect.anything()], OKActions: [expect.anything()] });
});

it('the metrics of requests without a fault, of all classes and of four voice platforms at every hour, cost $6 a month, a fifth $0.60 and starts by the API $0.30 more', () => {
  const each = [logLine(searchKnowledge, {}), logLine(buildChat, {}), logLine(getAgent, {}), logLine(serveMcp, {})];
  const names = Object.keys(platforms);
  const dollars = (count: number, ...more: Json[]) => {
    const series: MetricSeries = new Map();
    const calls = names.slice(0, count).flatMap((name) => [startOn(name), endOn(name)]);
    for (const line of [...each, ...calls, ...more]) readMetrics(line, series);
    return 0.3 * series.size;
  };
  expect(dollars(4)).toBeCloseTo(6);
  expect(dollars(names.length)).toBeCloseTo(6.6);
  expect(dollars(names.length, logLine(decideCallStart, {}))).toBeCloseTo(6.9);
});

it('a start is bad when it takes more than a second, and a search or an end never is', () => {
  const isBad = (line: Json) => line.BadStarts === 1;
  expect(isBad(logLine(decideCallStart, { milliseconds: 990 }))).toBe(false);
  expect(isBad(slow)).toBe(true);
  expect(isBad(logLine(searchKnowledge, { milliseconds: 5000 }))).toBe(false);
});
