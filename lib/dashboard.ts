import { Aws, Duration } from 'aws-cdk-lib';
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  LogQueryVisualizationType,
  LogQueryWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { jobs } from '../functions/jobs.ts';
import { pagesFunction } from './bundles.ts';
import type { Metrics, ObservedParts } from './metrics.ts';
import { deployedFunctionName } from './service-function.ts';
import { deploymentName, type Settings } from './settings.ts';

/** The maximum number of log groups in a query of CloudWatch Logs Insights. */
const maxLogGroups = 50;

/** Returns the dashboard's name. Dashboards are global in an account, so those of two regions need different names. */
export const dashboardName = (settings: Settings) => `${deploymentName(settings)}-${Aws.REGION}`;

/**
 * Adds the dashboard of a deployment. It shows every function from its log, because CloudWatch charges for each metric of a
 * dashboard beyond the first fifty.
 */
export const addDashboard = (
  scope: Construct,
  { callStarts, api, chat, queueAges, deadLetters, webhooks, table, account }: Metrics,
  { endpoints, chat: chatStack }: ObservedParts,
  settings: Settings,
): Dashboard => {
  const name = deploymentName(settings);
  const logGroupName = (functionName: string) => `/aws/lambda/${deployedFunctionName(settings, functionName)}`;
  const dashboard = new Dashboard(scope, 'Dashboard', {
    dashboardName: dashboardName(settings),
    defaultInterval: Duration.hours(12),
  });
  dashboard.addWidgets(
    new TextWidget({
      markdown: `# ${name}\nStage **${settings.stage}**, for ${settings.appOrigins.join(', ')}.`,
      width: 24,
      height: 2,
    }),
  );
  dashboard.addWidgets(
    graph(
      'Call starts: good (%), and bad as a share of five minutes',
      [callStarts.goodPercentage],
      [callStarts.fastBurn.short],
    ),
    graph(
      'Call starts: by platform, and latency (ms)',
      [callStarts.startsByPlatform],
      [...callStarts.latency, callStarts.latencyByPlatform],
    ),
  );
  dashboard.addWidgets(
    graph('API: requests', [api.requests], [api.clientErrors, api.serverErrors]),
    graph('API: latency (ms)', [api.latency, api.slowestLatency]),
  );
  dashboard.addWidgets(
    graph('Chat: failures', chat ? [chat.serverErrors, chat.failedTurns, chat.exhaustedBudget] : []),
    graph('Concurrency of the account', [account.concurrency], [account.throttles]),
  );
  dashboard.addWidgets(
    graph('Jobs: oldest message (s) and dead letters', queueAges, [deadLetters]),
    graph('Table: capacity and throttling', [table.reads, table.writes], table.throttles),
  );
  dashboard.addWidgets(
    graph('Webhooks: age of the oldest change (ms), and parked items', [webhooks.changeAge], [webhooks.parkedChanges]),
    graph(
      'Webhooks: attempts, and the oldest that waits (s)',
      [webhooks.attempts, webhooks.failedAttempts],
      [webhooks.deliveryAge],
    ),
    new LogQueryWidget({
      title: 'Webhooks: failed attempts by endpoint',
      logGroupNames: [logGroupName('deliverWebhook')],
      view: LogQueryVisualizationType.TABLE,
      queryLines: [
        'filter ispresent(failedDelivery)',
        'stats count(*) as attempts, count_distinct(failedDelivery) as deliveries, latest(reason) as latestReason by endpointId',
        'sort attempts desc',
      ],
      width: 24,
      height: 6,
    }),
  );
  const functions = [...endpoints, ...jobs, ...(settings.edge ? [{ name: pagesFunction }] : [])];
  const names = [...functions.map((one) => one.name), ...(chatStack ? [chatStack.functionName] : [])];
  for (let first = 0; first < names.length; first += maxLogGroups) {
    dashboard.addWidgets(
      new LogQueryWidget({
        title: 'Every function: requests, failures, milliseconds',
        logGroupNames: names.slice(first, first + maxLogGroups).map(logGroupName),
        view: LogQueryVisualizationType.TABLE,
        queryLines: [
          'fields coalesce(operation, job) as name, level = "error" as failed',
          'filter ispresent(name) and ispresent(milliseconds)',
          'stats count(*) as requests, sum(failed) as failures, pct(milliseconds, 50) as p50, pct(milliseconds, 99) as p99, max(milliseconds) as longest by name',
          'sort requests desc',
        ],
        width: 24,
        height: 12,
      }),
    );
  }
  return dashboard;
};

const graph = (title: string, left: IMetric[], right: IMetric[] = []) =>
  new GraphWidget({ title, left, right, width: 12, height: 7 });
