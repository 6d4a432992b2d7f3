import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { metricNames } from '../functions/domain/metrics.ts';
import type { AnyEndpoint } from '../functions/http/endpoint.ts';
import { giveUp } from '../functions/jobs/give-up.ts';
import { readChanges } from '../functions/jobs/read-changes.ts';
import { queueJobs } from '../functions/jobs.ts';
import type { ApiStack } from './api-stack.ts';
import type { ChatStack } from './chat-stack.ts';
import type { DataStack } from './data-stack.ts';
import type { EdgeStack } from './edge-stack.ts';
import type { JobsStack } from './jobs-stack.ts';
import type { OAuthStack } from './oauth-stack.ts';
import { deployedFunctionName } from './service-function.ts';
import { deploymentName, type Settings } from './settings.ts';

/** The parts of a deployment that are observed. */
export type ObservedParts = {
  data: DataStack;
  jobs: JobsStack;
  api: ApiStack;
  endpoints: AnyEndpoint[];
  chat: ChatStack | undefined;
  edge: EdgeStack | undefined;
  oauth: OAuthStack;
};

export type Metrics = ReturnType<typeof collectMetrics>;

const period = Duration.minutes(5);
const sum = { period, statistic: Stats.SUM };
const ofDay = { period: Duration.days(1), statistic: Stats.SUM };
const maximum = { period, statistic: Stats.MAXIMUM };

/**
 * The jobs that follow what was recorded: with webhook events, figures and budgets. No user sees that their messages wait. They are
 * few, because CloudWatch charges an alarm by its metrics.
 */
export const followUpJobs = ['createDeliveries', 'countCalls', 'checkBudget'] as const;

/** Returns the metrics of the alarms and the dashboard. */
export const collectMetrics = (
  { data, jobs: jobsStack, api: { api }, chat, edge, oauth }: ObservedParts,
  settings: Settings,
) => {
  const deliveries = data.getQueue('deliverWebhook');
  return {
    callStarts: collectCallStartMetrics(deploymentName(settings)),
    api: {
      requests: api.metricCount({ period }),
      clientErrors: api.metricClientError(sum),
      serverErrors: api.metricServerError(sum),
      // A single failure at night, when it may be one request in ten, raises no alarm.
      serverErrorShare: new MathExpression({
        expression: 'IF(errors >= 5, errors / requests, 0)',
        usingMetrics: { errors: api.metricServerError(sum), requests: api.metricCount(sum) },
        period,
      }),
      latency: api.metricLatency({ period, statistic: 'p50', label: 'p50' }),
      slowestLatency: api.metricLatency({ period, statistic: 'p99' }),
    },
    chat: chat && {
      serverErrors: chat.serverErrors.with({ period }),
      failedTurns: chat.failedTurns.with({ period }),
      exhaustedBudget: chat.exhaustedBudget.with({ period }),
    },
    failedSignIns: oauth.failedSignIns.with({ period }),
    edge: edge && { failedShare: failedShare(edge) },
    queueAges: queueJobs.map(({ name }) => data.getQueue(name).metricApproximateAgeOfOldestMessage(maximum)),
    lateMessages: jobsStack.lateMessages.with({ period }),
    /** The age of the oldest message to one of these jobs. */
    oldestFollowUp: new MathExpression({
      label: 'Oldest message about events, figures or budgets (s)',
      expression: `MAX([${followUpJobs.map((name) => `FILL(${name}, 0)`).join(', ')}])`,
      usingMetrics: Object.fromEntries(
        followUpJobs.map((name) => [name, data.getQueue(name).metricApproximateAgeOfOldestMessage(maximum)]),
      ),
      period,
    }),
    deadLetters: new MathExpression({
      label: 'Dead letters',
      expression: 'FILL(waiting, 0) + FILL(reported, 0)',
      usingMetrics: {
        waiting: data.deadLetters.metricApproximateNumberOfMessagesVisible(maximum),
        reported: data.getQueue(giveUp.name).metricNumberOfMessagesReceived(sum),
      },
      period,
    }),
    webhooks: {
      changeAge: new Metric({
        namespace: 'AWS/Lambda',
        metricName: 'IteratorAge',
        dimensionsMap: { FunctionName: deployedFunctionName(settings, readChanges.name) },
        ...maximum,
      }),
      parkedChanges: jobsStack.parkedChanges.with(maximum),
      attempts: deliveries.metricNumberOfMessagesDeleted(sum),
      failedAttempts: jobsStack.failedDeliveries.with({ period }),
      deliveryAge: deliveries.metricApproximateAgeOfOldestMessage(maximum),
    },
    // A pass of an hour compares the calls of 26 hours, so that a day's passes list each call 26 times.
    recoveredShare: new MathExpression({
      label: 'Recovered calls',
      expression: 'IF(compared > 0, recovered / (compared / 26), 0)',
      usingMetrics: {
        compared: jobsStack.comparedCalls.with(ofDay),
        recovered: jobsStack.recoveredCalls.with(ofDay),
      },
      period: ofDay.period,
    }),
    table: {
      reads: data.table.metricConsumedReadCapacityUnits({ period }),
      writes: data.table.metricConsumedWriteCapacityUnits({ period }),
      throttles: ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) => data.table.metric(name, sum)),
    },
    account: {
      throttles: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', ...sum }),
      concurrency: new Metric({ namespace: 'AWS/Lambda', metricName: 'ConcurrentExecutions', ...maximum }),
    },
  };
};

/** Returns the percentage of 5xx responses of CloudFront, including those for an unreachable origin. Its metrics are only in us-east-1. */
const failedShare = ({ distribution }: EdgeStack) => {
  const dimensionsMap = { DistributionId: distribution.distributionId, Region: 'Global' };
  const metric = (metricName: string, statistic: string) =>
    new Metric({ namespace: 'AWS/CloudFront', metricName, dimensionsMap, period, statistic });
  return new MathExpression({
    expression: 'IF(rate * requests >= 500, rate / 100, 0)',
    usingMetrics: { rate: metric('5xxErrorRate', Stats.AVERAGE), requests: metric('Requests', Stats.SUM) },
    period,
  });
};

/** The share of call starts that are to be good. */
const goodStarts = 0.999;
/** Bad starts in a long window that raise no alarm: at night, one may be a tenth of the calls. */
const ignoredBadStarts = 4;

/**
 * Returns the metrics of call starts. A burn rate is a multiple of the share of bad starts that the objective allows: the share of
 * a long window says that it matters, and that of a short one that it goes on.
 */
const collectCallStartMetrics = (namespace: string) => {
  const dimensionsMap = { class: 'call-start' };
  const metric = (metricName: string, props: MetricOptions) =>
    new Metric({ namespace, metricName, dimensionsMap, ...props });
  const divide = (expression: string, window: Duration, label?: string) => {
    const ofWindow = { period: window, statistic: Stats.SUM };
    return new MathExpression({
      label,
      expression,
      usingMetrics: {
        bad: metric(metricNames.badStarts, ofWindow),
        starts: metric(metricNames.requests, ofWindow),
      },
      period: window,
    });
  };
  const burn = (rate: number, long: Duration, short: Duration) => ({
    threshold: Number((rate * (1 - goodStarts)).toFixed(4)),
    long: divide(`IF(bad > ${ignoredBadStarts}, bad / starts, 0)`, long),
    short: divide('bad / starts', short),
  });
  const search = (statistic: string, label: string) =>
    new MathExpression({
      label,
      expression: `SEARCH('{"${namespace}",class,platform} class="call-start" MetricName="${metricNames.milliseconds}"', '${statistic}', 300)`,
      usingMetrics: {},
      period,
    });
  return {
    fastBurn: burn(14.4, Duration.hours(1), Duration.minutes(5)),
    slowBurn: burn(6, Duration.hours(6), Duration.minutes(30)),
    goodPercentage: divide('100 * (1 - FILL(bad, 0) / starts)', period, 'Good starts (%)'),
    latency: ['p50', 'p99'].map((statistic) =>
      metric(metricNames.milliseconds, { period, statistic, label: statistic }),
    ),
    startsByPlatform: search('SampleCount', 'Starts'),
    latencyByPlatform: search('p99', 'p99'),
  };
};
